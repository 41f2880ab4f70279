import { type Redis, SentinelConnector } from 'ioredis';
import { surviveSocketErrors } from './connection-errors.ts';

type Connect = SentinelConnector['connect'];

/** The types of ioredis hide it. */
interface Hidden {
  failoverDetector: { cleanup(): void } | null;
  connectToSentinel(...args: unknown[]): Redis;
}

/** As ioredis says it of a Sentinel that refuses our certificate. */
const closedText = 'Connection is closed.';

/**
 * Finds the primary by the Sentinels, as ioredis does, but survives a failover at any moment.
 *
 * ioredis (6.0.0) listens to the Sentinels with the connection that it had before, until the next one is open. If they
 * name another primary while it asks them for one, it cancels its own question, and its connection ends for good.
 * Whoever asks learns of the new primary anyway, so this class stops to listen before it asks.
 *
 * It also says why a Sentinel closed the connection, where ioredis says only that it is closed.
 */
export class SteadySentinelConnector extends SentinelConnector {
  #lastReason = closedText;

  constructor(options: ConstructorParameters<typeof SentinelConnector>[0]) {
    super(options);
    const hidden = this as unknown as Hidden;
    const connectToSentinel = hidden.connectToSentinel.bind(this);
    hidden.connectToSentinel = (...args) => {
      const sentinel = connectToSentinel(...args);
      surviveSocketErrors(sentinel);
      return sentinel.on('error', ({ message }: Error) => {
        this.#lastReason = message;
      });
    };
  }

  override connect(report: Parameters<Connect>[0]): ReturnType<Connect> {
    (this as unknown as Hidden).failoverDetector?.cleanup();
    this.#lastReason = closedText;
    return super.connect((type, error) => report(type, this.#explain(error)));
  }

  #explain(error: Error): Error {
    return error.message.includes(closedText) ? new Error(error.message.replace(closedText, this.#lastReason)) : error;
  }
}
