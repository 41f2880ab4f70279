import { expect, onTestFinished, test, vi } from 'vitest';
import { UnavailableError } from '../../domain/errors.ts';
import type { Widget } from '../../domain/widget.ts';
import { type ListWidgetsInput, makeListWidgets } from './list-widgets.ts';

const nowMs = 1_000_000_000;
const asOf = new Date(nowMs - 60_000);
const farPage = 2_147_483_647;

/** A store of `size` widgets that notes which rows it was asked for; `count` may be another. */
function setUp(size: number, count = async (atMost: number) => Math.min(size, atMost)) {
  const state = { size, nowMs };
  const offsets: number[] = [];
  const row = () => ({ createdAt: asOf }) as Widget;
  const listWidgets = makeListWidgets({
    widgets: {
      list: async (_, { offset, limit }) => {
        offsets.push(offset);
        return Array.from({ length: Math.max(0, Math.min(limit, state.size - offset)) }, row);
      },
      count: (_, atMost) => count(atMost),
    },
    clock: { now: () => new Date(state.nowMs), monotonicMs: () => state.nowMs },
    tailPosition: () => null,
  });
  const page = (input: Partial<ListWidgetsInput>) =>
    listWidgets({ page: 1, pageSize: 200, state: null, asOf, ...input });
  return { page, offsets, state };
}

test.each([0, 7, 1_000, 5_000, 200_000])('of %i widgets no rows are asked for far past the end', async (size) => {
  const { page, offsets } = setUp(size);
  expect(await page({ page: farPage })).toMatchObject({ items: [], totalItems: size, hasNext: false });
  expect(offsets).toEqual([]);
});

test('a page that has rows has them, also where the total was counted before they came', async () => {
  const { page, state } = setUp(20_000);
  expect(await page({ page: 101 })).toMatchObject({ items: [], totalItems: 20_000 });
  state.size = 20_250;
  state.nowMs += 4_999;
  const later = await page({ page: 101 });
  expect(later.items).toHaveLength(200);
  expect(later).toMatchObject({ totalItems: 20_201, hasNext: true });
  expect(await page({ page: 102 })).toMatchObject({ totalItems: 20_250, hasNext: false });
});

test.each([
  ['fails', () => Promise.reject(new UnavailableError('away'))],
  ['does not come', () => new Promise<never>(() => undefined)],
])('a page with rows is answered when its count %s', async (_, fullCount) => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const { page } = setUp(300_000, (atMost) => (atMost <= 1_001 ? Promise.resolve(atMost) : fullCount()));
  const pages = Promise.all([page({}), page({ page: 20 }), page({ page: 1_000 })]);
  await vi.advanceTimersByTimeAsync(1_500);
  expect(await pages).toMatchObject([
    { totalItems: 1_001, hasNext: true },
    { totalItems: 4_001, hasNext: true },
    { totalItems: 200_001, totalPages: 1_001, hasNext: true },
  ]);
});

test('a total that was counted before does not say that there is more behind the end', async () => {
  const { page, state } = setUp(20_000);
  await page({});
  state.size = 9_000;
  expect(await page({ page: 48 })).toMatchObject({ items: [], totalItems: 9_400, totalPages: 47, hasNext: false });
});
