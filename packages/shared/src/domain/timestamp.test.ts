import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseUtcTimestamp, utcTimestampPattern } from './timestamp.ts';

describe('parseUtcTimestamp', () => {
  test.each([
    ['2026-11-21T03:49:01Z', '2026-11-21T03:49:01.000Z'],
    ['2026-11-21t03:49:01z', '2026-11-21T03:49:01.000Z'],
    ['2026-11-21T03:49:01+00:00', '2026-11-21T03:49:01.000Z'],
    ['2026-11-21T03:49:01.1239Z', '2026-11-21T03:49:01.123Z'],
    [`2026-11-21T03:49:01.${'1'.repeat(43)}Z`, '2026-11-21T03:49:01.111Z'],
    ['2026-11-21T03:49:01.0617221972822310659+00:00', '2026-11-21T03:49:01.061Z'],
    ['0001-01-01T00:00:00Z', '0001-01-01T00:00:00.000Z'],
    ['0000-02-29T23:59:59.9Z', '0000-02-29T23:59:59.900Z'],
    ['9999-12-31T23:59:59.99Z', '9999-12-31T23:59:59.990Z'],
    ['2024-02-29T00:00:00Z', '2024-02-29T00:00:00.000Z'],
  ])('parses %s as %s', (text, iso) => expect(new Date(parseUtcTimestamp(text) ?? Number.NaN).toISOString()).toBe(iso));

  test.each([
    '2026-11-21T03:49:01',
    '2026-11-21T03:49Z',
    '2026-11-21 03:49:01Z',
    '2026-11-21T03:49:01-00:00',
    '2026-11-21T03:49:01+01:00',
    '2026-02-30T00:00:00Z',
    '2025-02-29T00:00:00Z',
    '1900-02-29T00:00:00Z',
    '2026-04-31T00:00:00Z',
    '2026-13-01T00:00:00Z',
    '2026-00-01T00:00:00Z',
    '2026-01-00T00:00:00Z',
    '2026-11-21T23:60:00Z',
    '2026-11-21T24:00:00Z',
    '2026-11-21T03:49:60Z',
    '2026-11-21T03:49:01.Z',
    `2026-11-21T03:49:01.${'1'.repeat(44)}Z`,
    '',
  ])('returns null for %j', (text) => expect(parseUtcTimestamp(text)).toBeNull());
});

describe('utcTimestampPattern', () => {
  const pattern = new RegExp(utcTimestampPattern);
  const number = (max: number, digits: number) =>
    fc.integer({ min: 0, max }).map((value) => String(value).padStart(digits, '0'));
  const fraction = fc.oneof(
    fc.constantFrom('', '.', '.5', '.123456'),
    fc.integer({ min: 36, max: 45 }).map((length) => `.${'1'.repeat(length)}`),
  );
  const zone = fc.constantFrom('Z', 'z', '+00:00', '-00:00', '+01:00', '', '\n');
  const time = fc
    .tuple(number(9_999, 4), number(14, 2), number(33, 2), number(25, 2), number(61, 2), number(61, 2), fraction, zone)
    .map(([year, month, day, hour, minute, second, rest, offset]) => {
      return `${year}-${month}-${day}T${hour}:${minute}:${second}${rest}${offset}`;
    });

  test('accepts exactly what is parsed', () => {
    fc.assert(
      fc.property(fc.oneof(time, fc.string()), (text) => {
        expect(pattern.test(text)).toBe(parseUtcTimestamp(text) !== null);
      }),
      { numRuns: 5_000 },
    );
  });

  test('has the last days of months of every year of the calendar, as the parser has', () => {
    for (let year = 0; year <= 400; year += 1) {
      for (let month = 1; month <= 12; month += 1) {
        // `Date.UTC` reads the years 0 to 99 as 1900 to 1999. The calendar of 400 years later is the same.
        const lastDay = new Date(Date.UTC(year + 400, month, 0)).getUTCDate();
        for (const day of [28, 29, 30, 31, 32]) {
          const text = `${String(year).padStart(4, '0')}-${String(month).padStart(2, '0')}-${day}T00:00:00Z`;
          expect(pattern.test(text), text).toBe(day <= lastDay);
          expect(parseUtcTimestamp(text) !== null, text).toBe(day <= lastDay);
        }
      }
    }
  });
});
