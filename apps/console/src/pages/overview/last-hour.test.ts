import { expect, test } from 'vitest';
import { findNewest, readLastHour } from './last-hour.ts';

test('makes rates and shares of counts, and keeps what is unknown', () => {
  const hour = readLastHour({
    intervalSeconds: 15,
    endsAt: '2026-11-25T08:00:00.000Z',
    hooksAccepted: [null, 0, 30],
    hooksRefused: [null, 0, 10],
    eventsPublished: [null, 15, null],
    streamsOpen: [null, 3, 4],
    personalStreamsOpen: [null, null, 1],
  });
  expect(hour.timesMs.map((ms) => new Date(ms).toISOString())).toEqual([
    '2026-11-25T07:59:30.000Z',
    '2026-11-25T07:59:45.000Z',
    '2026-11-25T08:00:00.000Z',
  ]);
  expect(hour.acceptedPerSecond).toEqual([null, 0, 2]);
  expect(hour.refusedPercent).toEqual([null, 0, 25]);
  expect(hour.publishedPerSecond).toEqual([null, 1, null]);
  expect(hour.streamsOpen).toEqual([null, 3, 3]);
});

test('finds the newest point of which something is known', () => {
  expect(findNewest([null, 1, null])).toBe(1);
  expect(findNewest([null, null])).toBe(1);
});
