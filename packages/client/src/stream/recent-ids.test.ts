import { expect, test } from 'vitest';
import { RecentIds } from './recent-ids.ts';

test('notices an id that it has seen', () => {
  const ids = new RecentIds(2);
  expect([ids.add('a'), ids.add('b'), ids.add('a')]).toEqual([true, true, false]);
});

test('forgets the oldest id when it is full', () => {
  const ids = new RecentIds(2);
  for (const id of ['a', 'b', 'c']) ids.add(id);
  expect([ids.add('c'), ids.add('a')]).toEqual([false, true]);
});

test('remembers nothing with a capacity of 0', () => {
  const ids = new RecentIds(0);
  expect([ids.add('a'), ids.add('a')]).toEqual([true, true]);
});
