import { expect, test } from 'vitest';
import { RepeatedLines } from './repeated-lines.ts';

test('counts how often each of many texts has come before', () => {
  const lines = new RepeatedLines();
  const texts = Array.from({ length: 5_000 }, (_, index) => `line ${index}`);
  expect(new Set(texts.map((text) => lines.count(text)))).toEqual(new Set([0]));
  expect([1, 2, 3].map(() => lines.count('line 7'))).toEqual([1, 2, 3]);
  expect(lines.count('line 8')).toBe(1);
});
