import { expect, test } from 'vitest';
import { findMenuEntry } from './action-menu.tsx';

const labels = ['Edit', 'Rotate secret…', 'Copy id', 'Revoke…'];

test.each([
  ['ArrowDown', 0, 1],
  ['ArrowDown', 3, 0],
  ['ArrowDown', -1, 0],
  ['ArrowUp', 0, 3],
  ['ArrowUp', 2, 1],
  ['ArrowUp', -1, 3],
  ['Home', 2, 0],
  ['End', 0, 3],
  ['r', 0, 1],
  ['r', 1, 3],
  ['R', 3, 1],
  ['x', 0, null],
  ['Tab', 0, null],
])('%s leads from entry %i to %s', (key, current, next) => {
  expect(findMenuEntry(key, labels, current)).toBe(next);
});
