import { formatClock } from '../parts/format.ts';
import { texts } from '../texts/texts.ts';

/** Says until when something works that ends within a day: `14:05`, `tomorrow 14:05`. In the zone of the browser. */
export function formatUntil(atMs: number, nowMs: number): string {
  const isToday = new Date(atMs).toDateString() === new Date(nowMs).toDateString();
  return isToday ? formatClock(atMs) : texts.grants.tomorrow(formatClock(atMs));
}
