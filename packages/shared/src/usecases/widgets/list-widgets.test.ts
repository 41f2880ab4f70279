import { expect, onTestFinished, test, vi } from 'vitest';
import { UnavailableError } from '../../domain/errors.ts';
import type { Widget } from '../../domain/widget.ts';
import type { WidgetStore } from '../../ports/widget-store.ts';
import { ListWidgets, type ListWidgetsInput } from './list-widgets.ts';

const nowMs = 1_000_000_000;
const asOf = new Date(nowMs - 60_000);
const farPage = 2_147_483_647;

/** A store of `size` widgets that records the offsets of its `list` calls. `count` replaces its count. */
function setUp(
  size: number,
  count = async (atMost: number) => Math.min(size, atMost),
  readDeepRows: () => Promise<void> = async () => undefined,
) {
  const state = { size, nowMs };
  const offsets: number[] = [];
  const row = () => ({ createdAt: asOf }) as Widget;
  const list: WidgetStore['list'] = async (_, { offset, limit }) => {
    offsets.push(offset);
    if (offset > 10_000) await readDeepRows();
    return Array.from({ length: Math.max(0, Math.min(limit, state.size - offset)) }, row);
  };
  const clock = { now: () => new Date(state.nowMs), monotonicMs: () => state.nowMs };
  const widgets = new ListWidgets({ list, count: (_, atMost) => count(atMost) }, clock, () => null);
  const listPage = (input: Partial<ListWidgetsInput>) =>
    widgets.read({ page: 1, pageSize: 200, state: null, asOf, ...input });
  return { listPage, offsets, state };
}

test.each([0, 7, 1_000, 5_000, 200_000])('with %i widgets, a page far past the end reads no rows', async (size) => {
  const { listPage, offsets } = setUp(size);
  expect(await listPage({ page: farPage })).toMatchObject({ items: [], totalItems: size, hasNext: false });
  expect(offsets).toEqual([]);
});

test('a page returns its rows although the cached total is too low for them', async () => {
  const { listPage, state } = setUp(20_000);
  expect(await listPage({ page: 101 })).toMatchObject({ items: [], totalItems: 20_000 });
  state.size = 20_250;
  state.nowMs += 4_999;
  const laterPage = await listPage({ page: 101 });
  expect(laterPage.items).toHaveLength(200);
  expect(laterPage).toMatchObject({ totalItems: 20_201, hasNext: true });
  expect(await listPage({ page: 102 })).toMatchObject({ totalItems: 20_250, hasNext: false });
});

test.each([
  ['fails', () => Promise.reject(new UnavailableError('the store does not answer'))],
  ['does not end', () => new Promise<never>(() => undefined)],
])('returns a page with rows when the count %s', async (_, fullCount) => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const { listPage } = setUp(300_000, (atMost) => (atMost <= 1_001 ? Promise.resolve(atMost) : fullCount()));
  const pages = Promise.all([listPage({}), listPage({ page: 20 }), listPage({ page: 1_000 })]);
  await vi.advanceTimersByTimeAsync(1_500);
  expect(await pages).toMatchObject([
    { totalItems: 1_001, hasNext: true },
    { totalItems: 4_001, hasNext: true },
    { totalItems: 200_001, totalPages: 1_001, hasNext: true },
  ]);
});

test('hasNext is false behind the last row although the cached total is too high', async () => {
  const { listPage, state } = setUp(20_000);
  await listPage({});
  state.size = 9_000;
  expect(await listPage({ page: 48 })).toMatchObject({ items: [], totalItems: 9_400, totalPages: 47, hasNext: false });
});

test('one page far behind the newest widgets is read at a time; the others are not delayed', async () => {
  let running = 0;
  const { listPage, offsets } = setUp(300_000, undefined, async () => {
    running += 1;
    expect(running).toBe(1);
    await new Promise((resolve) => setImmediate(resolve));
    running -= 1;
  });
  const deep = Promise.all([listPage({ page: 100 }), listPage({ page: 1_000 }), listPage({ page: 1_400 })]);
  expect((await listPage({ page: 2 })).items).toHaveLength(200);
  expect((await deep).map(({ items }) => items.length)).toEqual([200, 200, 200]);
  expect(offsets).toEqual([200, 19_800, 199_800, 279_800]);
});
