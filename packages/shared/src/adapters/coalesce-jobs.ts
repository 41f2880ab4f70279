import type { QueueItem } from '../domain/queue-item.ts';
import { parseHookJob } from './hook-job-codec.ts';

/** What one run is worth making larger for: beyond this, another run costs no more per item. */
export const coalesceLimits = { items: 256, bytes: 512 * 1024, jobs: 64, maxStartCount: 2 } as const;

/** Whether a run of so many items, or of jobs whose texts are so long, has no room for another job. */
export function isFull(items: number, bytes: number): boolean {
  return items >= coalesceLimits.items || bytes >= coalesceLimits.bytes;
}

/**
 * The items of the jobs next in line that may be run together with one of `firstItems` items: per job, in order, as
 * far as the limits allow. Stops before a job that this version cannot read as a whole. `firstItems` and `bytesBefore`
 * count what was taken along already, where the jobs are read a few at a time.
 */
export function coalesceItems(
  firstItems: number,
  jobTexts: readonly string[],
  bytesBefore = 0,
): (readonly QueueItem[])[] {
  const taken: (readonly QueueItem[])[] = [];
  let count = firstItems;
  let bytes = bytesBefore;
  for (const text of jobTexts) {
    const items = readable(text);
    bytes += text.length;
    count += items?.length ?? 0;
    if (items === null || bytes > coalesceLimits.bytes || count > coalesceLimits.items) break;
    taken.push(items);
  }
  return taken;
}

function readable(text: string): readonly QueueItem[] | null {
  try {
    const { items, unreadable } = parseHookJob(text);
    return unreadable.length === 0 ? items : null;
  } catch {
    return null;
  }
}
