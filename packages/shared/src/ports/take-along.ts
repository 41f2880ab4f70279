import type { QueueItem } from '../domain/queue-item.ts';
import { parseHookJob } from './hook-job.ts';

/** What one run is worth making larger for: beyond this, another run costs no more per item. */
export const takeAlongLimits = { items: 256, bytes: 512 * 1024, jobs: 64, startsOfFirst: 2 } as const;

/**
 * The items of the jobs next in line that may be run together with one of `firstItems` items: per job, in order, as
 * far as the limits allow. Stops before a job that this version cannot read as a whole.
 */
export function itemsTakenAlong(firstItems: number, jobTexts: readonly string[]): (readonly QueueItem[])[] {
  const taken: (readonly QueueItem[])[] = [];
  let count = firstItems;
  let bytes = 0;
  for (const text of jobTexts) {
    const items = readable(text);
    bytes += text.length;
    count += items?.length ?? 0;
    if (items === null || bytes > takeAlongLimits.bytes || count > takeAlongLimits.items) break;
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
