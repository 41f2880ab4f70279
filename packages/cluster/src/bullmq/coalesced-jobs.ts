import { coalesceItems, coalesceLimits, isFull } from '@widget-service/shared/adapters/coalesce-jobs.ts';
import type { QueueItem } from '@widget-service/shared/domain/queue-item.ts';
import type { Queue } from 'bullmq';
import type { Redis } from 'ioredis';

type QueueKeys = Pick<Queue<string>, 'keys' | 'toKey'>;

/** How many jobs are read at first; then twice as many each time. */
const firstStep = 2;

export interface CoalescedJobs {
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
 *
 * Under overload most jobs are full, and none or one of those that wait has room in the run: so they are read a few at a
 * time, and none where the first one, whose text is `firstBytes` long, is full by itself.
 */
export async function coalesceWaitingJobs(
  redis: Redis,
  queue: QueueKeys,
  first: readonly QueueItem[],
  firstBytes: number,
): Promise<CoalescedJobs> {
  if (isFull(first.length, firstBytes)) return { jobIds: [], items: [] };
  const waiting = await nextInLine(redis, queue);
  const jobIds: string[] = [];
  const items: QueueItem[] = [];
  let bytes = 0;
  for (let from = 0, count = firstStep; from < waiting.length; from += count, count *= 2) {
    const jobs = await readJobs(redis, queue, waiting.slice(from, from + count));
    const taken = coalesceItems(
      first.length + items.length,
      jobs.map(({ text }) => text),
      bytes,
    );
    for (const { id, text } of jobs.slice(0, taken.length)) {
      jobIds.push(id);
      bytes += text.length;
    }
    items.push(...taken.flat());
    if (taken.length < jobs.length || isFull(first.length + items.length, bytes)) break;
  }
  return { jobIds, items };
}

/** The ids of the jobs that wait, the next one first: BullMQ takes them from the end of its list. */
async function nextInLine(redis: Redis, queue: QueueKeys): Promise<string[]> {
  const ids = await redis.lrange(queue.keys.wait ?? '', -coalesceLimits.jobs, -1);
  return [...new Set(ids.reverse())];
}

/** The texts of these jobs; a job that was removed meanwhile is left out. */
async function readJobs(redis: Redis, queue: QueueKeys, ids: readonly string[]) {
  const stored = await Promise.all(ids.map((id) => redis.hget(queue.toKey(id), 'data')));
  return ids.flatMap((id, index) => {
    const data = stored[index] ?? null;
    return data === null ? [] : [{ id, text: textOf(data) }];
  });
}

/** BullMQ keeps what a job is about as JSON. Anything but a text is no job of ours, and cannot be read. */
function textOf(data: string): string {
  const value: unknown = JSON.parse(data);
  return typeof value === 'string' ? value : '';
}

/** Removes jobs that were taken along and are done. One that somebody has started in the meantime stays. */
export async function removeCoalescedJobs(queue: Queue<string>, jobIds: readonly string[]): Promise<void> {
  await Promise.all(jobIds.map((jobId) => queue.remove(jobId, { removeChildren: false })));
}
