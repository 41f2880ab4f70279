import { expect, it } from 'vitest';
import { PartitionCounts, type PartitionList } from './partition-counts.ts';

function listOf(read: () => Promise<number[]>): PartitionList {
  return { ensureListed: read, read };
}

it('routes by the newest number and names every number once, also one that came back', () => {
  const counts = new PartitionCounts(
    listOf(async () => []),
    [4, 8, 4],
  );
  expect(counts.newest).toBe(4);
  expect(counts.all).toEqual([4, 8]);
});

it('follows the list', async () => {
  const counts = new PartitionCounts(
    listOf(async () => [4, 8]),
    [4],
  );
  await counts.refresh();
  expect(counts.newest).toBe(8);
});

it('stays as it is while the list is away or has lost everything', async () => {
  const away = new PartitionCounts(
    listOf(async () => Promise.reject(new Error('away'))),
    [4],
  );
  await expect(away.refresh()).rejects.toThrow('away');
  expect(away.newest).toBe(4);
  const emptied = new PartitionCounts(
    listOf(async () => []),
    [4],
  );
  await emptied.refresh();
  expect(emptied.newest).toBe(4);
});
