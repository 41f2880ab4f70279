import { randomUUID } from 'node:crypto';
import type { Delivery } from '@widget-service/shared/domain/delivery.ts';
import type { QueueItem } from '@widget-service/shared/domain/queue-item.ts';
import { createMetrics, type Metrics } from '@widget-service/shared/metrics/metrics.ts';
import type { Backend } from '@widget-service/shared/ports/backend.ts';
import type { HookQueue } from '@widget-service/shared/ports/hook-queue.ts';
import { systemClock } from '@widget-service/shared/runtime/clock.ts';
import { createLogger, type Logger } from '@widget-service/shared/runtime/logger.ts';
import { StoreConnectivity } from '@widget-service/shared/tasks/store-connectivity.ts';
import { createHookConsumerTask } from '@widget-service/shared/tasks/worker-tasks.ts';
import { BatchProcessor } from '@widget-service/shared/usecases/hooks/process-batch.ts';
import { eventually } from '../drivers/tools/eventually.ts';

/** The system clock with pauses that are 50 times shorter. */
export const shortPauseClock = {
  ...systemClock,
  sleep: (ms: number, signal?: AbortSignal) => systemClock.sleep(ms / 50, signal),
};

/** The ports that a worker uses. */
type WorkerPorts = Pick<Backend, 'runs' | 'effects' | 'ledger' | 'quarantine' | 'outboxes' | 'eventLog' | 'hookQueue'>;

/** Enqueues the deliveries as one job in partition 0. */
export async function enqueue(backend: Pick<Backend, 'hookQueue'>, deliveries: readonly Delivery[]): Promise<void> {
  const items = deliveries.map((delivery): QueueItem => ({ type: 'delivery', delivery }));
  await backend.hookQueue.enqueue({ jobId: `job-${randomUUID()}`, partition: 0, items });
}

/**
 * Consumes the hook queue as a worker does, until `isDone` returns true and the queue is empty. Throws after 50 s.
 * Returns the worker's metrics. `logger` gets the worker's lines; by default nothing does.
 */
export async function consumeUntil(
  ports: WorkerPorts,
  isDone: (metrics: Metrics) => Promise<boolean>,
  clock = shortPauseClock,
  logger?: Logger,
): Promise<Metrics> {
  const usedLogger = logger ?? (await createLogger({ level: 'silent' }));
  const metrics = createMetrics();
  const batches = new BatchProcessor({ ...ports, clock });
  let activeBatches = 0;
  const consume: HookQueue['consume'] = (handle, options) =>
    ports.hookQueue.consume(async (batch) => {
      activeBatches += 1;
      return handle(batch).finally(() => {
        activeBatches -= 1;
      });
    }, options);
  const stores = new StoreConnectivity({ ...ports, findMismatch: async () => null, clock, logger: usedLogger });
  const match = { reason: null, waitUntilChecked: async () => undefined };
  const deps = { ...ports, stores, batches, progress: { recordProgress() {} }, clock, metrics, logger: usedLogger };
  const task = createHookConsumerTask({ consume }, match, deps);
  const stop = new AbortController();
  const ended = task.run(stop.signal);
  const isIdle = async () =>
    (await isDone(metrics)) && activeBatches === 0 && (await ports.hookQueue.pressure()).waitingJobs === 0;
  await eventually(isIdle, 'every delivery is processed', 50_000);
  stop.abort();
  await ended;
  return metrics;
}
