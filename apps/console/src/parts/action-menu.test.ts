import { expect, test } from 'vitest';
import { findMenuEntry, placeMenu } from './action-menu.tsx';

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

const windowSize = { width: 320, height: 500 };
const menu = { width: 160, height: 150 };

test('a menu opens below its button, flush with the right edge', () => {
  expect(placeMenu({ top: 100, bottom: 128, right: 300 }, menu, windowSize)).toEqual({ left: 140, top: 132 });
});

test('a menu opens above a button at the end of the window', () => {
  expect(placeMenu({ top: 460, bottom: 488, right: 300 }, menu, windowSize)).toEqual({ left: 140, top: 306 });
});

test('a menu stays in the window', () => {
  expect(placeMenu({ top: 100, bottom: 128, right: 40 }, menu, windowSize).left).toBe(8);
  expect(placeMenu({ top: 100, bottom: 128, right: 340 }, menu, windowSize).left).toBe(152);
  expect(placeMenu({ top: 60, bottom: 88, right: 300 }, { width: 160, height: 600 }, windowSize).top).toBe(92);
  expect(placeMenu({ top: 400, bottom: 428, right: 300 }, { width: 160, height: 600 }, windowSize).top).toBe(8);
});
