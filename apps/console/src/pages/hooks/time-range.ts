import type { TimeSpan } from './hook-rows.ts';

/** How far back a range goes, in milliseconds. */
const rangesMs = { hour: 3_600_000, day: 86_400_000, week: 7 * 86_400_000 } as const;
export const timeRanges = ['any', 'hour', 'day', 'week', 'custom'] as const;

/** The times that a list shows. */
export interface TimeFilter extends TimeSpan {
  /** `custom`: from `from` to `to`. Others have no times of their own. */
  readonly range: (typeof timeRanges)[number];
}

/** Returns the times of a filter, counted back from now. */
export function toTimeSpan({ range, from, to }: TimeFilter, nowMs: number): TimeSpan {
  if (range === 'any') return { from: null, to: null };
  if (range === 'custom') return { from, to };
  return { from: new Date(nowMs - rangesMs[range]).toISOString(), to: null };
}
