import { batchLimits } from '../domain/batch-limits.ts';
import type { QueueItem } from '../domain/queue-item.ts';
import { parseHookJob } from './hook-job-codec.ts';

/**
 * The limits of a batch that coalesces jobs. `items` counts all items of the batch. `bytes` limits the texts of the
 * coalesced jobs together, without the text of the started one. It compares `text.length`, which is the number of bytes
 * for ASCII and less for other text. A consumer considers at most `jobs` waiting jobs. A job that was started more than
 * `maxStartCount` times runs alone. So does a started job whose own text exceeds `bytes`.
 */
export const coalesceLimits = { ...batchLimits, jobs: 64, maxStartCount: 2 } as const;

/** Returns whether one of the two limits leaves no room for another job. `bytes` is a length of job texts. */
export function isFull(items: number, bytes: number): boolean {
  return items >= coalesceLimits.items || bytes >= coalesceLimits.bytes;
}

/**
 * Returns the items of the waiting jobs that fit into a batch, per job and in order. The batch already has `itemCount`
 * items, and `byteCount` is the length of the job texts coalesced before. Stops before a job that does not fit, and
 * before a job that has an unreadable part or a newer version.
 */
export function coalesceItems(itemCount: number, jobTexts: readonly string[], byteCount = 0): (readonly QueueItem[])[] {
  const coalesced: (readonly QueueItem[])[] = [];
  let totalItems = itemCount;
  let totalBytes = byteCount;
  for (const text of jobTexts) {
    const items = parseReadableJob(text);
    totalBytes += text.length;
    totalItems += items?.length ?? 0;
    if (items === null || totalBytes > coalesceLimits.bytes || totalItems > coalesceLimits.items) break;
    coalesced.push(items);
  }
  return coalesced;
}

function parseReadableJob(text: string): readonly QueueItem[] | null {
  try {
    const { items, unreadable } = parseHookJob(text);
    return unreadable.length === 0 ? items : null;
  } catch {
    return null;
  }
}
