import { expect, test } from 'vitest';
import { countNewRows, renewRows } from './new-rows.ts';

const rows = (...ids: string[]) => ids.map((id) => ({ id }));
const keyOf = ({ id }: { readonly id: string }) => id;

test('counts the rows above the first one that was there before', () => {
  expect(countNewRows(rows('b', 'a'), rows('b', 'a'), keyOf)).toBe(0);
  expect(countNewRows(rows('b', 'a'), rows('d', 'c', 'b', 'a'), keyOf)).toBe(2);
});

test('counts on when the first row has left the list', () => {
  expect(countNewRows(rows('c', 'b', 'a'), rows('d', 'b', 'a'), keyOf)).toBe(1);
  expect(countNewRows(rows(), rows('a'), keyOf)).toBe(1);
});

test('renews rows in their places', () => {
  const held = [
    { id: 'b', state: 'received' },
    { id: 'a', state: 'received' },
  ];
  const latest = [
    { id: 'c', state: 'received' },
    { id: 'b', state: 'published' },
  ];
  expect(renewRows(held, latest, keyOf)).toEqual([
    { id: 'b', state: 'published' },
    { id: 'a', state: 'received' },
  ]);
});
