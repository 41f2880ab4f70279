import { coalesceItems, coalesceLimits, isFull } from '@widget-service/shared/adapters/hook-job-codec.ts';
import { tryParseJson } from '@widget-service/shared/domain/json.ts';
import type { QueueItem } from '@widget-service/shared/domain/queue-item.ts';
import type { Queue } from 'bullmq';
import type { Redis } from 'ioredis';

type QueueKeys = Pick<Queue<string>, 'keys' | 'toKey'>;

/** How many jobs the first read fetches. Each further read fetches twice as many. */
const firstReadCount = 2;

/** The waiting jobs that run together with the started one, and their items, in the same order. */
export interface CoalescedJobs {
  readonly jobIds: readonly string[];
  readonly items: readonly QueueItem[];
}

/**
 * Finds the waiting jobs to run together with the job that was just started (coalescing). A run costs about the same
 * for one item as for many, so the cost per item falls as more jobs wait.
 *
 * The jobs stay in the queue until `removeCoalescedJobs`, so they keep their place if the worker dies. The queue's
 * concurrency of one keeps other workers from starting them; if one does, the job runs twice, which is safe. Stops
 * before a job that this version cannot read completely.
 *
 * Reads a few jobs at a time, because under overload most jobs are full and the run has room for one more at most.
 * `firstLength` is the length of the started job's text in characters. The limit for coalesced texts does not include
 * it, as in `coalesceLimits`.
 */
export async function coalesceWaitingJobs(
  redis: Redis,
  queue: QueueKeys,
  first: readonly QueueItem[],
  firstLength: number,
): Promise<CoalescedJobs> {
  if (isFull(first.length, firstLength)) return { jobIds: [], items: [] };
  const waitingIds = await readWaitingIds(redis, queue);
  const jobIds: string[] = [];
  const items: QueueItem[] = [];
  let coalescedLength = 0;
  for (let from = 0, count = firstReadCount; from < waitingIds.length; from += count, count *= 2) {
    const jobs = await readJobs(redis, queue, waitingIds.slice(from, from + count));
    const itemsPerJob = coalesceItems(
      first.length + items.length,
      jobs.map(({ text }) => text),
      coalescedLength,
    );
    for (const { id, text } of jobs.slice(0, itemsPerJob.length)) {
      jobIds.push(id);
      coalescedLength += text.length;
    }
    items.push(...itemsPerJob.flat());
    if (itemsPerJob.length < jobs.length || isFull(first.length + items.length, coalescedLength)) break;
  }
  return { jobIds, items };
}

/**
 * Returns the ids of the next waiting jobs, at most `coalesceLimits.jobs`, the next one first. BullMQ starts jobs from
 * the end of its list. An id that the list holds twice is returned once, so that its items are not twice in one batch.
 */
async function readWaitingIds(redis: Redis, queue: QueueKeys): Promise<string[]> {
  const ids = await redis.lrange(queue.keys.wait ?? '', -coalesceLimits.jobs, -1);
  return [...new Set(ids.reverse())];
}

/** Returns the texts of these jobs. Leaves out jobs that were removed meanwhile. */
async function readJobs(redis: Redis, queue: QueueKeys, ids: readonly string[]) {
  const stored = await Promise.all(ids.map((id) => redis.hget(queue.toKey(id), 'data')));
  return ids.flatMap((id, index) => {
    const data = stored[index] ?? null;
    return data === null ? [] : [{ id, text: parseJobText(data) }];
  });
}

/**
 * BullMQ stores a job's data as JSON, and our data is a string. Returns '' for anything else, which is no readable job,
 * so coalescing stops before it.
 */
function parseJobText(data: string): string {
  const value = tryParseJson(data);
  return typeof value === 'string' ? value : '';
}

/** Removes coalesced jobs that are done. BullMQ keeps a job that another worker has started meanwhile. */
export async function removeCoalescedJobs(queue: Queue<string>, jobIds: readonly string[]): Promise<void> {
  await Promise.all(jobIds.map((jobId) => queue.remove(jobId, { removeChildren: false })));
}
