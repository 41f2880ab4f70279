import { expect, test } from 'vitest';
import { formatFigure } from './format-figure.ts';

test('keeps the digits that matter', () => {
  expect([0, 1 / 15, 0.12, 17.24, 99.96, 1481.6].map(formatFigure)).toEqual([
    '0',
    '0.07',
    '0.1',
    '17.2',
    '100.0',
    '1,482',
  ]);
});
