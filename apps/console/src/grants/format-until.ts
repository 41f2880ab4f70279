import { formatClock, isSameDay } from '../parts/format.ts';
import { texts } from '../texts/texts.ts';

/** Says until when something works that ends within a day: `14:05`, `tomorrow 14:05`. In the chosen time zone. */
export function formatUntil(atMs: number, nowMs: number): string {
  return isSameDay(atMs, nowMs) ? formatClock(atMs) : texts.grants.tomorrow(formatClock(atMs));
}
