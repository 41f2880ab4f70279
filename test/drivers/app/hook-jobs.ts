import { randomUUID } from 'node:crypto';
import type { QueueItem } from '@widget-service/shared/domain/queue-item.ts';
import { createUuidV7 } from '@widget-service/shared/domain/uuid.ts';
import type { ConsumedBatch, ConsumeOutcome, HookJob, HookQueue } from '@widget-service/shared/ports/hook-queue.ts';

export type HandleBatch = (batch: ConsumedBatch) => Promise<ConsumeOutcome> | ConsumeOutcome;

export function aJob(
  items: readonly QueueItem[] = [{ type: 'nudge', widgetId: createUuidV7() }],
  partition = 0,
): HookJob {
  return { jobId: `job-${randomUUID()}`, partition, items };
}

export const buildJobs = (count: number) => Array.from({ length: count }, () => aJob());
export const getJobIds = (jobs: readonly { readonly jobId: string }[]) => jobs.map(({ jobId }) => jobId);

/** Shortcuts for the suites of the queue. `getQueue` is called at each use, because a suite may reopen its backend. */
export function driveQueue(getQueue: () => HookQueue) {
  return {
    enqueueAll: (jobs: readonly HookJob[]) => enqueueInOrder(getQueue(), jobs),
    consume: (count: number, handle?: HandleBatch) => consumeBatches(getQueue(), count, handle),
  };
}

async function enqueueInOrder(queue: HookQueue, jobs: readonly HookJob[]): Promise<void> {
  for (const job of jobs) await queue.enqueue(job);
}

/**
 * Consumes until `count` batches have started and their outcomes are stored. Returns these batches in order of start.
 */
async function consumeBatches(
  queue: HookQueue,
  count: number,
  handle: HandleBatch = () => 'done',
): Promise<ConsumedBatch[]> {
  const started: ConsumedBatch[] = [];
  const { promise, resolve } = Promise.withResolvers<void>();
  const consumer = await queue.consume(async (batch) => {
    if (started.length >= count) return 'release';
    started.push(batch);
    try {
      return await handle(batch);
    } finally {
      if (started.length === count) setImmediate(resolve);
    }
  });
  await promise;
  await consumer.close();
  return started;
}
