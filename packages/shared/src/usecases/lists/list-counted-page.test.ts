import { beforeEach, expect, test } from 'vitest';
import type { DeliverySummary } from '../../ports/delivery-ledger.ts';
import { listCountedPage, TooDeepPageError } from './list-counted-page.ts';

const filter = { integrationId: '01900000-0000-7000-8000-000000000000', state: null } as const;

/** The offsets that the ledger was asked for. */
let offsets: number[] = [];
beforeEach(() => {
  offsets = [];
});

/** A ledger of `size` rows. Only the methods that lists use work. */
function aLedger(size: number) {
  const row = (index: number) => ({ eventId: String(index) }) as DeliverySummary;
  return {
    list: async (_: unknown, { offset, limit }: { offset: number; limit: number }) => {
      offsets.push(offset);
      return Array.from({ length: Math.max(0, Math.min(limit, size - offset)) }, (_item, index) => row(offset + index));
    },
    count: async (_: unknown, atMost: number) => Math.min(size, atMost),
  };
}

const listPage = (size: number, page: number, pageSize = 50) =>
  listCountedPage(aLedger(size), filter, { page, pageSize });

test.each([
  [0, 1, 0, 0, false],
  [50, 1, 50, 50, false],
  [51, 1, 50, 51, true],
  [51, 2, 1, 51, false],
  [51, 9, 0, 51, false],
  [10_000, 1, 50, 10_000, true],
  [12_000, 1, 50, 10_000, true],
])(
  'with %i rows, page %i has %i items, totalItems %i and hasNext %s',
  async (size, page, items, totalItems, hasNext) => {
    const deliveryPage = await listPage(size, page);
    expect(deliveryPage).toMatchObject({ items: { length: items }, totalItems, hasNext });
  },
);

test('beyond 10 000, totalItems covers at least the rows seen', async () => {
  expect(await listPage(12_000, 101, 99)).toMatchObject({ totalItems: 10_000, hasNext: true });
  expect(await listPage(12_000, 51, 198)).toMatchObject({ totalItems: 10_099, hasNext: true });
  expect(await listPage(10_050, 51, 198)).toMatchObject({ totalItems: 10_050, hasNext: false });
});

test('a page that begins after the first 10 000 rows reads no rows: it is past the end, or too deep', async () => {
  const farPage = 2_147_483_647;
  for (const size of [0, 7, 10_000]) {
    expect(await listPage(size, farPage)).toEqual({ items: [], totalItems: size, hasNext: false });
  }
  for (const size of [10_001, 1_000_000]) {
    for (const page of [201, farPage]) await expect(listPage(size, page)).rejects.toThrow(TooDeepPageError);
  }
  expect(offsets).toEqual([]);
});
