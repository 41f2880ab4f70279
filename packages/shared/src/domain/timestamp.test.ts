import { describe, expect, it } from 'vitest';
import { parseUtcTimestamp } from './timestamp.ts';

describe('parseUtcTimestamp', () => {
  it.each([
    ['2026-11-21T03:49:01Z', '2026-11-21T03:49:01.000Z'],
    ['2026-11-21t03:49:01z', '2026-11-21T03:49:01.000Z'],
    ['2026-11-21T03:49:01+00:00', '2026-11-21T03:49:01.000Z'],
    ['2026-11-21T03:49:01.1239Z', '2026-11-21T03:49:01.123Z'],
    ['0001-01-01T00:00:00Z', '0001-01-01T00:00:00.000Z'],
    ['2024-02-29T00:00:00Z', '2024-02-29T00:00:00.000Z'],
  ])('reads %s', (text, iso) => expect(new Date(parseUtcTimestamp(text) ?? Number.NaN).toISOString()).toBe(iso));

  it.each([
    '2026-11-21T03:49:01',
    '2026-11-21T03:49Z',
    '2026-11-21 03:49:01Z',
    '2026-11-21T03:49:01-00:00',
    '2026-11-21T03:49:01+01:00',
    '2026-02-30T00:00:00Z',
    '2025-02-29T00:00:00Z',
    '2026-13-01T00:00:00Z',
    '2026-11-21T24:00:00Z',
    '2026-11-21T03:49:60Z',
    '2026-11-21T03:49:01.Z',
    '',
  ])('refuses %j', (text) => expect(parseUtcTimestamp(text)).toBeNull());
});
