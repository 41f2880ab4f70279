import type { QueueItem } from '@widget-service/shared/domain/queue-item.ts';
import { itemsTakenAlong, takeAlongLimits } from '@widget-service/shared/ports/take-along.ts';
import type { Queue } from 'bullmq';

export interface JobsTakenAlong {
  readonly jobIds: readonly string[];
  readonly items: readonly QueueItem[];
}

/**
 * The jobs next in line behind one that has just been started, to be run together with it. Pods store small jobs often,
 * and a run costs much the same for one item as for many; so the more has piled up, the cheaper each item gets.
 *
 * The jobs stay where they are, waiting, until they are removed: a consumer that dies leaves them in their place. That
 * nobody else starts them meanwhile rests on the queue's concurrency of one; should somebody, they run twice, as any
 * job may. Stops before a job that this version cannot read whole.
 */
export async function takeAlong(queue: Queue<string>, first: readonly QueueItem[]): Promise<JobsTakenAlong> {
  // A job that was just removed leaves a hole in the list of those that were there.
  const waiting = (await queue.getWaiting(0, takeAlongLimits.jobs - 1)).filter((job) => job?.id !== undefined);
  const taken = itemsTakenAlong(
    first.length,
    waiting.map((job) => job.data),
  );
  return { jobIds: waiting.slice(0, taken.length).map((job) => job.id ?? ''), items: taken.flat() };
}

/** Removes jobs that were taken along and are done. One that somebody has started in the meantime stays. */
export async function removeTakenAlong(queue: Queue<string>, jobIds: readonly string[]): Promise<void> {
  await Promise.all(jobIds.map((jobId) => queue.remove(jobId, { removeChildren: false })));
}
