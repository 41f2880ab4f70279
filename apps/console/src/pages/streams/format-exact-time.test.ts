import { expect, test } from 'vitest';
import { formatExactTime } from './format-exact-time.ts';

test('has 24 hours and milliseconds, in the time zone of the browser', () => {
  expect(formatExactTime(new Date(2026, 0, 1, 0, 5, 9, 7).getTime())).toBe('00:05:09.007');
  expect(formatExactTime(new Date(2026, 0, 1, 14, 5, 59, 120).getTime())).toBe('14:05:59.120');
});
