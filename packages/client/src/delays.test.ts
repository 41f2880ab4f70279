import { expect, test } from 'vitest';
import { computeReconnectDelayMs, readRetryAfterMs } from './delays.ts';

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

test('waits as long as the service asks for after a connection that was open', () => {
  expect(computeReconnectDelayMs({ retryMs: 4_321, failures: 0 })).toBe(4_321);
});

test('doubles the wait with each failure, up to 30 s', () => {
  const longest = [1, 2, 3, 4, 5, 6, 1_000].map((failures) =>
    computeReconnectDelayMs({ retryMs: 3_000, failures, random: () => 1 }),
  );
  expect(longest).toEqual([3_000, 6_000, 12_000, 24_000, 30_000, 30_000, 30_000]);
});

test('takes a random part of the second half of the wait', () => {
  expect(computeReconnectDelayMs({ retryMs: 3_000, failures: 1, random: () => 0 })).toBe(1_500);
});

test('never waits less than Retry-After', () => {
  expect(computeReconnectDelayMs({ retryMs: 3_000, failures: 0, retryAfterMs: 9_000 })).toBe(9_000);
  expect(computeReconnectDelayMs({ retryMs: 3_000, failures: 2, retryAfterMs: 60_000 })).toBe(60_000);
});
