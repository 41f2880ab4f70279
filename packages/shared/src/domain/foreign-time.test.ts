import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type TimeFormat, toUtcTime } from './foreign-time.ts';
import { parseUtcTimestamp } from './timestamp.ts';

describe('toUtcTime', () => {
  test.each([
    ['2026-11-27T09:30:00Z', '2026-11-27T09:30:00Z'],
    ['2026-11-27T09:30:00+01:00', '2026-11-27T08:30:00Z'],
    ['2026-01-01T00:30:00.123456+05:30', '2025-12-31T19:00:00.123456Z'],
    ['2026-11-27 09:30:00-0800', '2026-11-27T17:30:00Z'],
    ['2026-11-27t09:30:00-00:00', '2026-11-27T09:30:00Z'],
    ['2026-11-25 15:23:28 UTC', '2026-11-25T15:23:28Z'],
    ['2026-11-25 15:23:28 +0100', '2026-11-25T14:23:28Z'],
    ['2026-11-25 15:23:28.5 GMT', '2026-11-25T15:23:28.5Z'],
    ['2026-11-25T15:23:28,25Z', '2026-11-25T15:23:28.25Z'],
    ['2026-11-25 15:23:28+01', '2026-11-25T14:23:28Z'],
    ['2026-11-25T15:23Z', '2026-11-25T15:23:00Z'],
    ['20261125T152328Z', '2026-11-25T15:23:28Z'],
    ['Wed, 25 Nov 2026 15:23:28 +0000', '2026-11-25T15:23:28Z'],
    ['wed, 25 nov 2026 15:23:28 gmt', '2026-11-25T15:23:28Z'],
    ['5 Nov 2026 15:23 -0500', '2026-11-05T20:23:00Z'],
    // A number of 10 digits can only be seconds, one of 13 only milliseconds: GitHub's pushed_at is a text or a number.
    ['1764081808', '2025-11-25T14:43:28Z'],
    ['1764081808.83', '2025-11-25T14:43:28.83Z'],
    ['1764081808000', '2025-11-25T14:43:28.000Z'],
    ['20261125', null],
    ['202611251523', null],
    ['20261125152328', null],
    ['2026-11-25 15:23:28 EST', null],
    ['2026-11-25 15:23:28', null],
    ['25 Foo 2026 15:23:28 GMT', null],
    ['31 Nov 2026 15:23:28 GMT', null],
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
    ['1.764081808e9', '2025-11-25T14:43:28Z'],
    ['1764081808830E-3', '2025-11-25T14:43:28.830Z'],
    ['1.76408180883e+9', '2025-11-25T14:43:28.83Z'],
    ['0001764081808', null],
    ['5e-1', '1970-01-01T00:00:00.5Z'],
    ['1e99', null],
    ['1764081808000', '2025-11-25T14:43:28.000Z'],
    ['2026-11-25T15:13:32.232083866Z', '2026-11-25T15:13:32.232083866Z'],
    ['', null],
  ])('Unix seconds: %s is %s', (text, expected) => {
    expect(toUtcTime(text, 'unix-seconds')).toBe(expected);
  });

  test.each([
    ['1355517523007', '2012-12-14T20:38:43.007Z'],
    ['1355517523007.25', '2012-12-14T20:38:43.00725Z'],
    ['5', '1970-01-01T00:00:00.005Z'],
    ['1355517523000000', null],
    ['1.355517523007e12', '2012-12-14T20:38:43.007Z'],
    ['2026-11-25T15:13:32Z', '2026-11-25T15:13:32Z'],
  ])('Unix milliseconds: %s is %s', (text, expected) => {
    expect(toUtcTime(text, 'unix-milliseconds')).toBe(expected);
  });

  test('every notation of an instant gives that instant', () => {
    const secondsMax = 253_402_300_799;
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: secondsMax * 1_000 }),
        fc.integer({ min: -1_439, max: 1_439 }),
        (ms, offset) => {
          const local = new Date(ms + offset * 60_000);
          fc.pre(local.getTime() >= 0 && local.getTime() <= secondsMax * 1_000);
          const zone = toZone(offset);
          const iso = local.toISOString().slice(0, 23);
          const [date = '', time = ''] = iso.split('T');
          const [seconds, millis] = [Math.floor(ms / 1_000), `${ms % 1_000}`.padStart(3, '0')];
          const exact = [
            [`${iso}${zone}`, 'rfc3339'],
            [`${date} ${time} ${zone.replace(':', '')}`, 'rfc3339'],
            [`${date.replaceAll('-', '')}T${time.replaceAll(':', '')}${zone}`, 'unix-seconds'],
            [new Date(ms).toISOString().replace('T', ' ').replace('Z', ' UTC'), 'unix-milliseconds'],
            [`${seconds}.${millis}`, 'unix-seconds'],
            [`${ms}e-3`, 'unix-seconds'],
            [`${ms}`, 'unix-milliseconds'],
            [Number(ms).toExponential(), 'unix-milliseconds'],
          ] as const;
          for (const [text, format] of exact) expect([text, toMs(text, format)]).toEqual([text, ms]);
          expect(toMs(new Date(ms).toUTCString(), 'rfc3339')).toBe(seconds * 1_000);
          // Since 2001, a number tells by itself whether it counts seconds or milliseconds.
          if (seconds < 1_000_000_000 || seconds > 9_999_999_999) return;
          expect(toMs(`${seconds}.${millis}`, 'rfc3339')).toBe(ms);
          for (const format of ['rfc3339', 'unix-seconds'] as const) expect(toMs(`${ms}`, format)).toBe(ms);
        },
      ),
    );
  });
});

const toMs = (text: string, format: TimeFormat) => parseUtcTimestamp(toUtcTime(text, format) ?? '');

function toZone(offset: number): string {
  const pad = (value: number) => `${value}`.padStart(2, '0');
  const minutes = Math.abs(offset);
  return `${offset < 0 ? '-' : '+'}${pad(Math.floor(minutes / 60))}:${pad(minutes % 60)}`;
}
