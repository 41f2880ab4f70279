import { afterEach, expect, test } from 'vitest';
import {
  formatAbsolute,
  formatBytes,
  formatClock,
  formatClockTime,
  formatCount,
  formatDuration,
  formatExactTime,
  formatRelative,
  formatTime,
  isSameDay,
  locale,
} from './format.ts';
import { browserTimeZone, readLocalText, timeZone, toLocalText } from './preferences.ts';

const zoneBefore = browserTimeZone.peek();
afterEach(() => {
  locale.value = 'en';
  timeZone.value = 'local';
  browserTimeZone.value = zoneBefore;
});

test.each([
  [0, 'now'],
  [-30, '30 s ago'],
  [-59, '59 s ago'],
  [-60, '1 min ago'],
  [-7_200, '2 h ago'],
  [3_600, 'in 1 h'],
  [-86_400, 'yesterday 08:00'],
  [93_600, 'tomorrow 10:00'],
  // More than a day ago, and neither today nor yesterday.
  [-118_800, '1 day ago'],
  [-1_000 * 86_400, '1,000 days ago'],
])('a time %i seconds from now is "%s"', (seconds, text) => {
  timeZone.value = 'utc';
  const nowMs = Date.parse('2026-11-25T08:00:00Z');
  expect(formatRelative(nowMs + seconds * 1_000, nowMs)).toBe(text);
});

test('a time of the day has 24 hours, also at midnight', () => {
  const at = (...time: [number, number, number]) => new Date(2026, 10, 25, ...time).getTime();
  expect([at(0, 5, 9), at(13, 0, 0)].map(formatClock)).toEqual(['00:05', '13:00']);
  expect([at(0, 5, 9), at(23, 59, 59)].map(formatTime)).toEqual(['00:05:09', '23:59:59']);
});

test('numbers and dates are written as the reader knows them', () => {
  timeZone.value = 'utc';
  const atMs = Date.parse('2026-11-25T14:05:59Z');
  expect([formatAbsolute(atMs), formatCount(1_234), formatDuration(3_400)]).toEqual([
    'Nov 25, 2026, 14:05:59 UTC',
    '1,234',
    '3.4 s',
  ]);
  locale.value = 'de';
  expect([formatAbsolute(atMs), formatCount(1_234), formatDuration(3_400)]).toEqual([
    '25. Nov. 2026, 14:05:59 UTC',
    '1.234',
    '3,4 s',
  ]);
});

test.each(['utc', 'local'] as const)('a time that is shown in a field is read back as it was (%s)', (zone) => {
  timeZone.value = zone;
  const at = '2026-07-25T14:05:59.000Z';
  expect(readLocalText(toLocalText(at))).toBe(at);
  expect([toLocalText(null), toLocalText('no time'), readLocalText('')]).toEqual(['', '', null]);
  if (zone === 'utc') expect(toLocalText(at)).toBe('2026-07-25T14:05:59');
});

test('a time of another day has its date', () => {
  const now = new Date(2026, 10, 25, 8).getTime();
  expect(formatClockTime(new Date(2026, 10, 25, 0, 5, 9).getTime(), now)).toBe('00:05:09');
  expect(formatClockTime(new Date(2026, 10, 24, 23, 59, 59).getTime(), now)).toBe('Nov 24, 23:59:59');
  expect(formatClockTime(new Date(2025, 10, 25, 8).getTime(), now)).toBe('Nov 25, 08:00:00');
});

test('the time of the day and the day are those of the chosen time zone', () => {
  // Nine hours before UTC all year.
  browserTimeZone.value = 'Asia/Tokyo';
  const atMs = Date.parse('2026-11-25T14:05:59.007Z');
  const beforeMidnight = Date.parse('2026-11-25T23:30:00Z');
  const read = () => [formatExactTime(atMs), formatClock(atMs), isSameDay(atMs, beforeMidnight)];
  expect(read()).toEqual(['23:05:59.007', '23:05', false]);
  timeZone.value = 'utc';
  expect(read()).toEqual(['14:05:59.007', '14:05', true]);
});

test('counts and sizes are short', () => {
  expect(formatCount(100_000)).toBe('100,000');
  expect([0, 1_023, 1_024, 1_536, 20_480, 5 * 1_048_576].map(formatBytes)).toEqual([
    '0 B',
    '1,023 B',
    '1.0 KiB',
    '1.5 KiB',
    '20 KiB',
    '5.0 MiB',
  ]);
});

test.each([
  [80, '80 ms'],
  [3_400, '3.4 s'],
  [59_000, '59 s'],
  [61_000, '1 min'],
  [7_500_000, '2 h 5 min'],
  [7_200_000, '2 h'],
  [259_200_000, '3 days'],
])('%i ms are "%s"', (durationMs, text) => {
  expect(formatDuration(durationMs)).toBe(text);
});
