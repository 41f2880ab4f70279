import { expect, test } from 'vitest';
import type { WidgetFilter } from '../../ports/widget-store.ts';
import { createCountWidgets } from './count-widgets.ts';

const all: WidgetFilter = { state: null, createdAtOrBefore: null };

/** A store with `total` widgets that notes how far it was asked to count. */
function setUp(total: number) {
  const state = { total, nowMs: 1_000_000_000, limits: [] as number[] };
  const countWidgets = createCountWidgets({
    widgets: {
      count: async (_filter, atMost) => {
        state.limits.push(atMost);
        return Math.min(state.total, atMost);
      },
    },
    clock: { now: () => new Date(state.nowMs), monotonicMs: () => state.nowMs },
  });
  const fullCounts = () => state.limits.filter((limit) => limit > 1_001).length;
  return { countWidgets, state, fullCounts };
}

test('up to 1 000 is exact each time, and never counted further', async () => {
  const { countWidgets, state, fullCounts } = setUp(999);
  expect(await countWidgets(all)).toBe(999);
  state.total = 1_000;
  expect(await countWidgets(all)).toBe(1_000);
  expect(fullCounts()).toBe(0);
});

test('above that it is counted once in five seconds, for all who ask', async () => {
  const { countWidgets, state, fullCounts } = setUp(5_000);
  expect(await Promise.all([countWidgets(all), countWidgets(all)])).toEqual([5_000, 5_000]);
  state.total = 6_000;
  state.nowMs += 4_999;
  expect(await countWidgets(all)).toBe(5_000);
  expect(fullCounts()).toBe(1);
  state.nowMs += 1;
  expect(await countWidgets(all)).toBe(6_000);
});

test('a total that falls to 1 000 is exact at once', async () => {
  const { countWidgets, state } = setUp(5_000);
  await countWidgets(all);
  state.total = 10;
  expect(await countWidgets(all)).toBe(10);
});

test('filters have totals of their own; walks that began just now share one', async () => {
  const { countWidgets, state, fullCounts } = setUp(5_000);
  const at = (msAgo: number): WidgetFilter => ({ state: null, createdAtOrBefore: new Date(state.nowMs - msAgo) });
  await countWidgets(all);
  await countWidgets(at(10));
  await countWidgets(at(2_000));
  expect(fullCounts()).toBe(1);
  await countWidgets(at(60_000));
  await countWidgets({ ...all, state: 'active' });
  expect(fullCounts()).toBe(3);
});

test('a failed count is not kept', async () => {
  let fails = true;
  const countWidgets = createCountWidgets({
    widgets: {
      count: async (_filter, atMost) => {
        if (fails && atMost > 1_001) throw new Error('away');
        return Math.min(2_000, atMost);
      },
    },
    clock: { now: () => new Date(0), monotonicMs: () => 0 },
  });
  await expect(countWidgets(all)).rejects.toThrow('away');
  fails = false;
  expect(await countWidgets(all)).toBe(2_000);
});
