import { expect, onTestFinished, test, vi } from 'vitest';
import { UnavailableError } from '../../domain/errors.ts';
import type { WidgetFilter } from '../../ports/widget-store.ts';
import { makeCountWidgets } from './count-widgets.ts';

const all: WidgetFilter = { state: null, createdAtOrBefore: null };

/** A store with `total` widgets that notes how far it was asked to count. */
function setUp(total: number) {
  const state = { total, nowMs: 1_000_000_000, limits: [] as number[] };
  const count = makeCountWidgets({
    widgets: {
      count: async (_filter, atMost) => {
        state.limits.push(atMost);
        return Math.min(state.total, atMost);
      },
    },
    clock: { now: () => new Date(state.nowMs), monotonicMs: () => state.nowMs },
  });
  const countWidgets = async (filter: WidgetFilter) => (await count(filter, { seen: 0, withinMs: 1_000 })).total;
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
  const count = makeCountWidgets({
    widgets: {
      count: async (_filter, atMost) => {
        if (fails && atMost > 1_001) throw new Error('away');
        return Math.min(2_000, atMost);
      },
    },
    clock: { now: () => new Date(0), monotonicMs: () => 0 },
  });
  const countWidgets = () => count(all, { seen: 0, withinMs: 1_000 });
  await expect(countWidgets()).rejects.toThrow('away');
  fails = false;
  expect(await countWidgets()).toMatchObject({ total: 2_000 });
});

/** A store whose full counts take until they are ended. */
function setUpSlow() {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const counts: { readonly filter: WidgetFilter; readonly end: (total: number) => void; fail: () => void }[] = [];
  const state = { nowMs: 1_000_000_000, isAway: false };
  const away = () => new UnavailableError('away');
  const count = makeCountWidgets({
    widgets: {
      count: (filter, atMost) => {
        if (state.isAway) return Promise.reject(away());
        if (atMost <= 1_001) return Promise.resolve(atMost);
        return new Promise((resolve, reject) => {
          counts.push({ filter, end: resolve, fail: () => reject(away()) });
        });
      },
    },
    clock: { now: () => new Date(state.nowMs), monotonicMs: () => state.nowMs },
  });
  const ask = (filter: WidgetFilter, seen = 51) => count(filter, { seen, withinMs: 1_000 });
  const settle = () => vi.advanceTimersByTimeAsync(0);
  return { counts, state, ask, settle };
}

const asOf = (ms: number): WidgetFilter => ({ state: null, createdAtOrBefore: new Date(ms) });

test('many that ask as of many times are counted one after the other', async () => {
  const { counts, ask, settle } = setUpSlow();
  const answers = [1, 2, 3].map((ms) => ask(asOf(ms)));
  for (const nth of [1, 2, 3]) {
    await settle();
    expect(counts).toHaveLength(nth);
    counts[nth - 1]?.end(2_000 + nth);
  }
  expect((await Promise.all(answers)).map(({ total }) => total)).toEqual([2_001, 2_002, 2_003]);
});

test('who has left is not counted for', async () => {
  const { counts, ask, settle } = setUpSlow();
  const answers = Promise.all([1, 2, 3].map((ms) => ask(asOf(ms))));
  await vi.advanceTimersByTimeAsync(5_000);
  await answers;
  counts[0]?.end(2_000);
  await settle();
  expect(counts).toHaveLength(1);
});

test('while the count is late, the total is the last one known', async () => {
  const { counts, state, ask, settle } = setUpSlow();
  const first = ask(all);
  await settle();
  counts[0]?.end(5_000);
  expect(await first).toEqual({ total: 5_000, ageMs: 0 });
  state.nowMs += 60_000;
  const second = ask(all);
  const walk = ask(asOf(state.nowMs - 60_000));
  await vi.advanceTimersByTimeAsync(1_000);
  expect(await second).toEqual({ total: 5_000, ageMs: 60_000 });
  expect(await walk).toEqual({ total: 5_000, ageMs: 60_000 });
  // It went on meanwhile.
  counts[1]?.end(9_000);
  await settle();
  expect(await ask(all)).toEqual({ total: 9_000, ageMs: 0 });
});

test('while nothing is known yet, it is what was seen, and more than 1 000', async () => {
  const { ask } = setUpSlow();
  const [few, many] = [ask(all, 51), ask(all, 40_001)];
  await vi.advanceTimersByTimeAsync(1_000);
  expect(await few).toEqual({ total: 1_001, ageMs: null });
  expect(await many).toEqual({ total: 40_001, ageMs: null });
});

test('a store that does not answer leaves what was seen, or what is known; only without either it fails', async () => {
  const { counts, state, ask, settle } = setUpSlow();
  const failing = ask(all);
  await settle();
  counts[0]?.fail();
  expect(await failing).toEqual({ total: 1_001, ageMs: null });
  state.isAway = true;
  expect(await ask(all, 51)).toEqual({ total: 51, ageMs: null });
  await expect(ask(all, 0)).rejects.toThrow(UnavailableError);
});
