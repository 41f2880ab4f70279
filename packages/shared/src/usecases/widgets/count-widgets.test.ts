import { expect, onTestFinished, test, vi } from 'vitest';
import { UnavailableError } from '../../domain/errors.ts';
import type { WidgetFilter, WidgetStore } from '../../ports/widget-store.ts';
import { WidgetCounts } from './list-widgets.ts';

const all: WidgetFilter = { state: null, createdAtOrBefore: null };

/** A store with `total` widgets that records the limit of each count. */
function setUp(total: number) {
  const state = { total, nowMs: 1_000_000_000, limits: [] as number[] };
  const count = async (_filter: WidgetFilter, atMost: number) => {
    state.limits.push(atMost);
    return Math.min(state.total, atMost);
  };
  const counts = new WidgetCounts({ count }, { now: () => new Date(state.nowMs), monotonicMs: () => state.nowMs });
  const countWidgets = async (filter: WidgetFilter) => (await counts.count(filter, 0, 1_000)).total;
  const numberOfFullCounts = () => state.limits.filter((limit) => limit > 1_001).length;
  return { countWidgets, state, numberOfFullCounts };
}

test('a total up to 1 000 is exact every time, without a full count', async () => {
  const { countWidgets, state, numberOfFullCounts } = setUp(999);
  expect(await countWidgets(all)).toBe(999);
  state.total = 1_000;
  expect(await countWidgets(all)).toBe(1_000);
  expect(numberOfFullCounts()).toBe(0);
});

test('a total above 1 000 is counted once in five seconds for all callers', async () => {
  const { countWidgets, state, numberOfFullCounts } = setUp(5_000);
  expect(await Promise.all([countWidgets(all), countWidgets(all)])).toEqual([5_000, 5_000]);
  state.total = 6_000;
  state.nowMs += 4_999;
  expect(await countWidgets(all)).toBe(5_000);
  expect(numberOfFullCounts()).toBe(1);
  state.nowMs += 1;
  expect(await countWidgets(all)).toBe(6_000);
});

test('a total that falls below 1 000 is exact at once', async () => {
  const { countWidgets, state } = setUp(5_000);
  await countWidgets(all);
  state.total = 10;
  expect(await countWidgets(all)).toBe(10);
});

test('each filter has its own total; filters with a time in the last five seconds share one', async () => {
  const { countWidgets, state, numberOfFullCounts } = setUp(5_000);
  const createdBefore = (msAgo: number): WidgetFilter => ({
    state: null,
    createdAtOrBefore: new Date(state.nowMs - msAgo),
  });
  await countWidgets(all);
  await countWidgets(createdBefore(10));
  await countWidgets(createdBefore(2_000));
  expect(numberOfFullCounts()).toBe(1);
  await countWidgets(createdBefore(60_000));
  await countWidgets({ ...all, state: 'active' });
  expect(numberOfFullCounts()).toBe(3);
});

test('a count with an unexpected error rejects, and is not cached', async () => {
  let isFailing = true;
  const count = async (_filter: WidgetFilter, atMost: number) => {
    if (isFailing && atMost > 1_001) throw new Error('the count failed');
    return Math.min(2_000, atMost);
  };
  const counts = new WidgetCounts({ count }, { now: () => new Date(0), monotonicMs: () => 0 });
  const countWidgets = () => counts.count(all, 0, 1_000);
  await expect(countWidgets()).rejects.toThrow('the count failed');
  isFailing = false;
  expect(await countWidgets()).toMatchObject({ total: 2_000 });
});

/** A store whose full counts run until the test ends them. */
function setUpSlow() {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const counts: { readonly filter: WidgetFilter; readonly end: (total: number) => void; fail: () => void }[] = [];
  const state = { nowMs: 1_000_000_000, isUnavailable: false };
  const unavailable = () => new UnavailableError('the store does not answer');
  const count: WidgetStore['count'] = (filter, atMost) => {
    if (state.isUnavailable) return Promise.reject(unavailable());
    if (atMost <= 1_001) return Promise.resolve(atMost);
    return new Promise((resolve, reject) => {
      counts.push({ filter, end: resolve, fail: () => reject(unavailable()) });
    });
  };
  const clock = { now: () => new Date(state.nowMs), monotonicMs: () => state.nowMs };
  const widgetCounts = new WidgetCounts({ count }, clock);
  const countWidgets = (filter: WidgetFilter, seen = 51) => widgetCounts.count(filter, seen, 1_000);
  const flushPromises = () => vi.advanceTimersByTimeAsync(0);
  return { counts, state, countWidgets, flushPromises };
}

const asOf = (ms: number): WidgetFilter => ({ state: null, createdAtOrBefore: new Date(ms) });

test('full counts of different filters run one after the other', async () => {
  const { counts, countWidgets, flushPromises } = setUpSlow();
  const totals = [1, 2, 3].map((ms) => countWidgets(asOf(ms)));
  for (const nth of [1, 2, 3]) {
    await flushPromises();
    expect(counts).toHaveLength(nth);
    counts[nth - 1]?.end(2_000 + nth);
  }
  expect((await Promise.all(totals)).map(({ total }) => total)).toEqual([2_001, 2_002, 2_003]);
});

test('a count that waits behind another is dropped when its callers have long stopped waiting', async () => {
  const { counts, countWidgets, flushPromises } = setUpSlow();
  const totals = Promise.all([1, 2, 3].map((ms) => countWidgets(asOf(ms))));
  await vi.advanceTimersByTimeAsync(5_000);
  await totals;
  counts[0]?.end(2_000);
  await flushPromises();
  expect(counts).toHaveLength(1);
});

test('a count that takes too long gives the last known total', async () => {
  const { counts, state, countWidgets, flushPromises } = setUpSlow();
  const first = countWidgets(all);
  await flushPromises();
  counts[0]?.end(5_000);
  expect(await first).toEqual({ total: 5_000, ageMs: 0 });
  state.nowMs += 60_000;
  const second = countWidgets(all);
  const otherFilter = countWidgets(asOf(state.nowMs - 60_000));
  await vi.advanceTimersByTimeAsync(1_000);
  expect(await second).toEqual({ total: 5_000, ageMs: 60_000 });
  expect(await otherFilter).toEqual({ total: 5_000, ageMs: 60_000 });
  // The late count continues, and its result is cached.
  counts[1]?.end(9_000);
  await flushPromises();
  expect(await countWidgets(all)).toEqual({ total: 9_000, ageMs: 0 });
});

test('a first count that takes too long gives a lower bound: the rows seen, and at least 1 001', async () => {
  const { countWidgets } = setUpSlow();
  const [few, many] = [countWidgets(all, 51), countWidgets(all, 40_001)];
  await vi.advanceTimersByTimeAsync(1_000);
  expect(await few).toEqual({ total: 1_001, ageMs: null });
  expect(await many).toEqual({ total: 40_001, ageMs: null });
});

test('a count that is unavailable gives a lower bound, and rejects only if nothing was counted or seen', async () => {
  const { counts, state, countWidgets, flushPromises } = setUpSlow();
  const failing = countWidgets(all);
  await flushPromises();
  counts[0]?.fail();
  expect(await failing).toEqual({ total: 1_001, ageMs: null });
  state.isUnavailable = true;
  expect(await countWidgets(all, 51)).toEqual({ total: 51, ageMs: null });
  await expect(countWidgets(all, 0)).rejects.toThrow(UnavailableError);
});
