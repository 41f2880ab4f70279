import type { HookConsumer, HookQueue } from '../ports/hook-queue.ts';
import type { Task } from '../runtime/supervisor.ts';
import { type ConsumeBatchDeps, consumeBatch } from './consume-batch.ts';
import { StoreConnectivity, type StoreConnectivityDeps } from './store-connectivity.ts';

export interface HookConsumerDeps extends Omit<ConsumeBatchDeps, 'stores'>, StoreConnectivityDeps {
  readonly hookQueue: Pick<HookQueue, 'consume'>;
}

/**
 * Makes the task that consumes the hook queue: see `consumeBatch`. While the stores are unreachable, it starts no more
 * jobs.
 */
export function createHookConsumerTask(deps: HookConsumerDeps): Task {
  let consumer: HookConsumer | null = null;
  const stores = new StoreConnectivity(deps);
  return {
    name: 'hook-consumer',
    stores: ['documents', 'queue', 'events'],
    run: async (signal) => {
      const opened = await deps.hookQueue.consume((batch) => consumeBatch({ ...deps, stores }, batch), {
        coalesce: true,
        waitUntilReady: (closing) => stores.waitUntilReachable(closing),
      });
      consumer = opened;
      try {
        await new Promise<void>((resolve) => {
          if (signal.aborted) resolve();
          else signal.addEventListener('abort', () => resolve(), { once: true });
        });
      } finally {
        consumer = null;
        await opened.close();
      }
    },
    unreadyReason: () => {
      if (consumer === null) return 'it does not consume the hook queue';
      if (stores.isUnreachable) return 'its stores do not answer';
      try {
        consumer.checkProgress();
        return null;
      } catch (error) {
        return error instanceof Error ? error.message : String(error);
      }
    },
  };
}
