import { type Redis, SentinelConnector } from 'ioredis';
import { surviveSocketErrors } from './connection-errors.ts';

/**
 * Finds the primary by the Sentinels, as ioredis does, but survives a failover at any moment.
 *
 * ioredis (6.0.0) listens to the Sentinels with the connection that it had before, until the next one is open. If they
 * name another primary while it asks them for one, it cancels its own question, and its connection ends for good.
 * Whoever asks learns of the new primary anyway, so this class stops to listen before it asks.
 */
export class SteadySentinelConnector extends SentinelConnector {
  constructor(...args: ConstructorParameters<typeof SentinelConnector>) {
    super(...args);
    // The types of ioredis hide it, too.
    const hidden = this as unknown as { connectToSentinel(...given: unknown[]): Redis };
    const connect = hidden.connectToSentinel.bind(this);
    hidden.connectToSentinel = (...given) => {
      const redis = connect(...given);
      surviveSocketErrors(redis);
      return redis;
    };
  }

  override connect(...args: Parameters<SentinelConnector['connect']>): ReturnType<SentinelConnector['connect']> {
    // The types of ioredis hide it.
    const { failoverDetector } = this as unknown as { failoverDetector: { cleanup(): void } | null };
    failoverDetector?.cleanup();
    return super.connect(...args);
  }
}
