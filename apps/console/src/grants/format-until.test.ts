import { afterEach, expect, test } from 'vitest';
import { browserTimeZone, timeZone } from '../parts/time-zone.ts';
import { formatUntil } from './format-until.ts';

const zoneBefore = browserTimeZone.peek();
afterEach(() => {
  timeZone.value = 'local';
  browserTimeZone.value = zoneBefore;
});

const at = (day: number, hour: number, minute: number) => new Date(2026, 10, day, hour, minute).getTime();

test('names the time, and says if it is tomorrow', () => {
  expect(formatUntil(at(21, 14, 5), at(21, 9, 0))).toBe('14:05');
  expect(formatUntil(at(22, 9, 0), at(21, 14, 5))).toBe('tomorrow 09:00');
});

test('tomorrow is the next day of the chosen time zone', () => {
  // Nine hours before UTC all year.
  browserTimeZone.value = 'Asia/Tokyo';
  const [atMs, nowMs] = [Date.parse('2026-11-21T23:30:00Z'), Date.parse('2026-11-21T10:00:00Z')];
  expect(formatUntil(atMs, nowMs)).toBe('tomorrow 08:30');
  timeZone.value = 'utc';
  expect(formatUntil(atMs, nowMs)).toBe('23:30');
});
