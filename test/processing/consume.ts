import { randomUUID } from 'node:crypto';
import type { Delivery } from '@widget-service/shared/domain/hook-event.ts';
import type { QueueItem } from '@widget-service/shared/domain/queue-item.ts';
import type { Backend } from '@widget-service/shared/ports/backend.ts';
import type { HookQueue } from '@widget-service/shared/ports/hook-queue.ts';
import { systemClock } from '@widget-service/shared/runtime/clock.ts';
import { createLogger } from '@widget-service/shared/runtime/logger.ts';
import { createMetrics, type Metrics } from '@widget-service/shared/runtime/metrics.ts';
import { createHookConsumerTask } from '@widget-service/shared/tasks/hook-consumer.ts';
import { makePublishOutbox } from '@widget-service/shared/usecases/events/publish-outbox.ts';
import { makeProcessBatch } from '@widget-service/shared/usecases/hooks/process-batch.ts';
import { eventually } from '../drivers/eventually.ts';

/** Time passes as in life, but pauses are short. */
export const hastyClock = {
  ...systemClock,
  sleep: (ms: number, signal?: AbortSignal) => systemClock.sleep(ms / 50, signal),
};

export type WorkerPorts = Pick<
  Backend,
  'runs' | 'effects' | 'ledger' | 'quarantine' | 'outboxes' | 'eventLog' | 'hookQueue'
>;

/** Puts a job into partition 0. */
export async function enqueue(backend: Pick<Backend, 'hookQueue'>, deliveries: readonly Delivery[]): Promise<void> {
  const items = deliveries.map((delivery): QueueItem => ({ type: 'delivery', delivery }));
  await backend.hookQueue.enqueue({ jobId: `job-${randomUUID()}`, partition: 0, items });
}

/** Consumes what is queued as a worker does, until `isDone` and nothing is left; returns the worker's metrics. */
export async function consumeUntil(
  ports: WorkerPorts,
  isDone: (metrics: Metrics) => Promise<boolean>,
  clock = hastyClock,
): Promise<Metrics> {
  const metrics = createMetrics();
  const publishOutbox = makePublishOutbox({ ...ports, clock });
  const processBatch = makeProcessBatch({ ...ports, publishOutbox, clock });
  const logger = await createLogger({ level: 'silent' });
  let running = 0;
  const consume: HookQueue['consume'] = (handle, options) =>
    ports.hookQueue.consume(async (batch) => {
      running += 1;
      return handle(batch).finally(() => {
        running -= 1;
      });
    }, options);
  const task = createHookConsumerTask({ ...ports, hookQueue: { consume }, processBatch, clock, logger, metrics });
  const stop = new AbortController();
  const ended = task.run(stop.signal);
  const isAllDone = async () =>
    (await isDone(metrics)) && running === 0 && (await ports.hookQueue.pressure()).waitingJobs === 0;
  await eventually(isAllDone, 'every delivery is done with', 50_000);
  stop.abort();
  await ended;
  return metrics;
}
