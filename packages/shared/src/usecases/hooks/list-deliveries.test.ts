import { expect, test } from 'vitest';
import type { DeliverySummary } from '../../ports/delivery-ledger.ts';
import { makeListDeliveries } from './manage-deliveries.ts';

const filter = { integrationId: '01900000-0000-7000-8000-000000000000', state: null } as const;

/** A ledger that holds `size` rows, as far as lists look at them. */
function ledgerOf(size: number) {
  const row = (index: number) => ({ eventId: String(index) }) as DeliverySummary;
  return {
    list: async (_: unknown, { offset, limit }: { offset: number; limit: number }) =>
      Array.from({ length: Math.max(0, Math.min(limit, size - offset)) }, (_each, index) => row(offset + index)),
    count: async (_: unknown, atMost: number) => Math.min(size, atMost),
  };
}

const pageOf = (size: number, page: number, pageSize = 50) =>
  makeListDeliveries({ ledger: ledgerOf(size) })(filter, { page, pageSize });

test.each([
  [0, 1, 0, 0, false],
  [50, 1, 50, 50, false],
  [51, 1, 50, 51, true],
  [51, 2, 1, 51, false],
  [51, 9, 0, 51, false],
  [10_000, 1, 50, 10_000, true],
  [12_000, 1, 50, 10_000, true],
])('of %i rows page %i has %i items; total %i, more to come: %s', async (size, page, items, totalItems, hasNext) => {
  const found = await pageOf(size, page);
  expect(found.items).toHaveLength(items);
  expect(found).toMatchObject({ totalItems, hasNext });
});

test('beyond what is counted, the total is at least what was seen', async () => {
  expect(await pageOf(12_000, 220)).toMatchObject({ totalItems: 11_001, hasNext: true });
  expect(await pageOf(12_000, 240)).toMatchObject({ totalItems: 12_000, hasNext: false });
});
