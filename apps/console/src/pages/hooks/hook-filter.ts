import { firstPage } from '../../parts/paged-list.tsx';
import { changeQuery, query } from '../../router/address.ts';
import { readTime } from '../../router/read-time.ts';
import { type TimeFilter, timeRanges } from './time-range.ts';

/** `received`: the hook waits to be processed. */
export const hookStates = ['all', 'published', 'received', 'refused', 'dead', 'discarded'] as const;
export type HookState = (typeof hookStates)[number];

/** What a list of hooks shows. It is in the address. */
export interface HookFilter extends TimeFilter {
  readonly state: HookState;
}

export function readHookFilter(): HookFilter {
  const from = readTime('from');
  const to = readTime('to');
  const state = hookStates.find((name) => name === query.value.get('state')) ?? 'all';
  const range = timeRanges.find((name) => name === query.value.get('range'));
  return { state, range: range ?? (from === null && to === null ? 'any' : 'custom'), from, to };
}

/** Changes the filter. The list begins at its first page again. */
export function changeHookFilter({ state, range, ...times }: Partial<HookFilter>): void {
  changeQuery({
    ...(state === undefined ? {} : { state: state === 'all' ? null : state }),
    ...(range === undefined ? {} : { range: range === 'any' ? null : range }),
    // Other ranges have no times of their own.
    ...(range === undefined || range === 'custom' ? times : { from: null, to: null }),
    ...firstPage,
  });
}
