import { SentinelConnector } from 'ioredis';

/**
 * Finds the primary by the Sentinels, as ioredis does, but survives a failover at any moment.
 *
 * ioredis (6.0.0) listens to the Sentinels with the connection that it had before, until the next one is open. If they
 * name another primary while it asks them for one, it cancels its own question, and its connection ends for good.
 * Whoever asks learns of the new primary anyway, so this class stops to listen before it asks.
 */
export class SteadySentinelConnector extends SentinelConnector {
  override connect(...args: Parameters<SentinelConnector['connect']>): ReturnType<SentinelConnector['connect']> {
    // The types of ioredis hide it.
    const { failoverDetector } = this as unknown as { failoverDetector: { cleanup(): void } | null };
    failoverDetector?.cleanup();
    return super.connect(...args);
  }
}
