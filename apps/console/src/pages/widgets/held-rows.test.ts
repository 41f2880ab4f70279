import { expect, test } from 'vitest';
import { countWaitingRows } from './held-rows.ts';

const rows = (...ids: string[]) => ids.map((id) => ({ id }));

test('counts the rows above the first one that was there before', () => {
  expect(countWaitingRows(rows('b', 'a'), rows('b', 'a'))).toBe(0);
  expect(countWaitingRows(rows('b', 'a'), rows('d', 'c', 'b', 'a'))).toBe(2);
});

test('counts on when the first row has left the list', () => {
  expect(countWaitingRows(rows('c', 'b', 'a'), rows('d', 'b', 'a'))).toBe(1);
  expect(countWaitingRows(rows(), rows('a'))).toBe(1);
});
