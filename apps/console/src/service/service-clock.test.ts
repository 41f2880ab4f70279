import { beforeEach, expect, test } from 'vitest';
import { clockErrorMs, compareClocks } from './service-clock.ts';

const serviceMs = Date.parse('2026-11-25T08:00:00Z');
const date = (ms: number) => new Headers({ date: new Date(ms).toUTCString() });
beforeEach(() => {
  clockErrorMs.value = 0;
});

test.each([
  [3 * 3_600_000, 100, 3 * 3_600_000],
  [-3 * 3_600_000, 100, -3 * 3_600_000],
  [4_000, 100, 0],
  // The request ran for 20 s: the service may have written the date at any time of it.
  [4_000, 20_000, 0],
])('a clock that is %i ms ahead, by a request of %i ms, is %i ms ahead', (aheadMs, durationMs, errorMs) => {
  compareClocks(date(serviceMs), serviceMs + aheadMs, serviceMs + aheadMs + durationMs);
  expect(Math.abs(clockErrorMs.value - errorMs)).toBeLessThan(1_000);
});

test('a clock that is set right has no error any more, and a response without a date says nothing', () => {
  compareClocks(date(serviceMs), serviceMs + 60_000, serviceMs + 60_100);
  compareClocks(new Headers(), serviceMs, serviceMs);
  compareClocks(new Headers({ date: 'soon' }), serviceMs, serviceMs);
  expect(clockErrorMs.value).toBeGreaterThan(59_000);
  compareClocks(date(serviceMs), serviceMs, serviceMs + 100);
  expect(clockErrorMs.value).toBe(0);
});
