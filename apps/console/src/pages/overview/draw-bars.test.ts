import { expect, test } from 'vitest';
import { drawBars } from './draw-bars.ts';

test('shows the smallest number, and fits the highest bar', () => {
  expect(drawBars([0, 1_000, 500], [0, 1, 0])).toEqual([
    { x: 0, accepted: 0, refused: 0 },
    { x: 4, accepted: 14.5, refused: 1.5 },
    { x: 8, accepted: expect.closeTo(8, 1), refused: 0 },
  ]);
});

test('draws nothing where no hook came', () => {
  expect(drawBars([0], [0])).toEqual([{ x: 0, accepted: 0, refused: 0 }]);
});
