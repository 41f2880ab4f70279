import { expect, test } from 'vitest';
import { PartitionCounts } from './partition-counts.ts';

test('returns the newest count, and each count once even if it was listed twice', () => {
  const counts = new PartitionCounts([4, 8, 4], async () => []);
  expect(counts.newest).toBe(4);
  expect(counts.all).toEqual([4, 8]);
});

test('takes over the list on refresh', async () => {
  const counts = new PartitionCounts([4], async () => [4, 8]);
  await counts.refresh();
  expect(counts.newest).toBe(8);
});

test('keeps its counts when the list is unavailable or empty', async () => {
  const withFailingList = new PartitionCounts([4], () => Promise.reject(new Error('unavailable')));
  await expect(withFailingList.refresh()).rejects.toThrow('unavailable');
  expect(withFailingList.newest).toBe(4);
  const withEmptyList = new PartitionCounts([4], async () => []);
  await withEmptyList.refresh();
  expect(withEmptyList.newest).toBe(4);
});
