import { expect, test } from 'vitest';
import { drawLines, readMost } from './draw-line.ts';

test('draws a line for each stretch without unknown values', () => {
  expect(drawLines([0, 2, null, 4])).toEqual([
    { line: 'M0 55L80 29.5', area: 'M0 55L80 29.5V56H0Z' },
    { line: 'M240 4h1', area: 'M240 4h1V56H240Z' },
  ]);
});

test('draws nothing where nothing is known, and a line at the lower edge for zeros', () => {
  expect(drawLines([null, null])).toEqual([]);
  expect(drawLines([0, 0])).toEqual([{ line: 'M0 55L240 55', area: 'M0 55L240 55V56H0Z' }]);
});

test('finds the highest known value', () => {
  expect(readMost([null, 2, 1])).toBe(2);
  expect(readMost([null])).toBeNull();
});
