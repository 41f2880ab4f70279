import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { toUtcTime } from './foreign-time.ts';
import { parseUtcTimestamp } from './timestamp.ts';

describe('toUtcTime', () => {
  test.each([
    ['2026-11-27T09:30:00Z', '2026-11-27T09:30:00Z'],
    ['2026-11-27T09:30:00+01:00', '2026-11-27T08:30:00Z'],
    ['2026-01-01T00:30:00.123456+05:30', '2025-12-31T19:00:00.123456Z'],
    ['2026-11-27 09:30:00-0800', '2026-11-27T17:30:00Z'],
    ['2026-11-27t09:30:00-00:00', '2026-11-27T09:30:00Z'],
    ['2026-02-30T09:30:00Z', null],
    ['2026-11-27T09:30:60Z', null],
    ['2026-11-27T09:30:00', null],
    ['2026-11-27T09:30:00+24:00', null],
    ['0000-01-01T00:00:00+01:00', null],
    ['9999-12-31T23:59:59-01:00', null],
    ['27/11/2026', null],
  ])('RFC 3339: %s is %s', (text, expected) => {
    expect(toUtcTime(text, 'rfc3339')).toBe(expected);
  });

  test.each([
    ['0', '1970-01-01T00:00:00Z'],
    ['1355517523', '2012-12-14T20:38:43Z'],
    ['1355517523.000005', '2012-12-14T20:38:43.000005Z'],
    ['253402300800', null],
    ['-1', null],
    ['1.3e9', null],
    ['', null],
  ])('Unix seconds: %s is %s', (text, expected) => {
    expect(toUtcTime(text, 'unix-seconds')).toBe(expected);
  });

  test.each([
    ['1355517523007', '2012-12-14T20:38:43.007Z'],
    ['1355517523007.25', '2012-12-14T20:38:43.00725Z'],
    ['5', '1970-01-01T00:00:00.005Z'],
    ['1355517523000000', null],
  ])('Unix milliseconds: %s is %s', (text, expected) => {
    expect(toUtcTime(text, 'unix-milliseconds')).toBe(expected);
  });

  test('every result is a time of the interface, and the same moment', () => {
    const anyTime = fc.integer({ min: 0, max: 253_402_300_799_000 });
    fc.assert(
      fc.property(anyTime, fc.integer({ min: -1_439, max: 1_439 }), (ms, offsetMinutes) => {
        const local = new Date(ms + offsetMinutes * 60_000);
        fc.pre(local.getTime() >= 0 && local.getTime() <= 253_402_300_799_000);
        const absolute = Math.abs(offsetMinutes);
        const pad = (value: number) => `${value}`.padStart(2, '0');
        const zone = `${offsetMinutes < 0 ? '-' : '+'}${pad(Math.floor(absolute / 60))}:${pad(absolute % 60)}`;
        const results = [
          toUtcTime(local.toISOString().replace('Z', zone), 'rfc3339'),
          toUtcTime(`${Math.floor(ms / 1_000)}.${`${ms % 1_000}`.padStart(3, '0')}`, 'unix-seconds'),
          toUtcTime(`${ms}`, 'unix-milliseconds'),
        ];
        for (const result of results) expect(parseUtcTimestamp(result ?? '')).toBe(ms);
      }),
    );
  });
});
