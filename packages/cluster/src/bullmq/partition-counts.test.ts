import { describe, expect, test } from 'vitest';
import { type PartitionCountStore, PartitionCounts } from './partition-counts.ts';

function storeReturning(read: () => Promise<number[]>): PartitionCountStore {
  return { ensureListed: read, read };
}

describe('PartitionCounts', () => {
  test('returns the newest count, and each count once even if it was listed twice', () => {
    const counts = new PartitionCounts(
      storeReturning(async () => []),
      [4, 8, 4],
    );
    expect(counts.newest).toBe(4);
    expect(counts.all).toEqual([4, 8]);
  });

  test('takes over the list on refresh', async () => {
    const counts = new PartitionCounts(
      storeReturning(async () => [4, 8]),
      [4],
    );
    await counts.refresh();
    expect(counts.newest).toBe(8);
  });

  test('keeps its counts when the list is unavailable or empty', async () => {
    const withFailingList = new PartitionCounts(
      storeReturning(async () => Promise.reject(new Error('unavailable'))),
      [4],
    );
    await expect(withFailingList.refresh()).rejects.toThrow('unavailable');
    expect(withFailingList.newest).toBe(4);
    const withEmptyList = new PartitionCounts(
      storeReturning(async () => []),
      [4],
    );
    await withEmptyList.refresh();
    expect(withEmptyList.newest).toBe(4);
  });
});
