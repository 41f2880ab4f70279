import { expect, test } from 'vitest';
import { readRetryAfterMs } from './retry-after.ts';

const nowMs = Date.parse('2026-11-25T08:00:00Z');
const read = (text: string) => readRetryAfterMs(new Headers({ 'retry-after': text }), nowMs);

test('reads seconds and dates', () => {
  expect(read('7')).toBe(7_000);
  expect(read('Wed, 25 Nov 2026 08:01:00 GMT')).toBe(60_000);
});

test('is 0 without the header, for a date that is past, and for a text that is neither', () => {
  expect(readRetryAfterMs(new Headers())).toBe(0);
  expect(read('Wed, 25 Nov 2026 07:59:00 GMT')).toBe(0);
  expect(read('soon')).toBe(0);
});
