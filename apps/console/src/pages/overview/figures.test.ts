import { expect, test } from 'vitest';
import {
  countProblems,
  describeFlow,
  drawBars,
  drawLines,
  findNewest,
  formatFigure,
  readLastHour,
  readMost,
  readPublishingDelay,
} from './figures.ts';

test('shows the smallest number, and fits the highest bar', () => {
  expect(drawBars([0, 1_000, 500], [0, 1, 0])).toEqual([
    { x: 0, accepted: 0, refused: 0 },
    { x: 4, accepted: 14.5, refused: 1.5 },
    { x: 8, accepted: expect.closeTo(8, 1), refused: 0 },
  ]);
});

test('draws nothing where no hook came', () => {
  expect(drawBars([0], [0])).toEqual([{ x: 0, accepted: 0, refused: 0 }]);
});

test('draws a line for each stretch without unknown values', () => {
  expect(drawLines([0, 2, null, 4])).toEqual([
    { line: 'M0 55L80 29.5', area: 'M0 55L80 29.5V56H0Z' },
    { line: 'M240 4h1', area: 'M240 4h1V56H240Z' },
  ]);
});

test('draws nothing where nothing is known, and a line at the lower edge for zeros', () => {
  expect(drawLines([null, null])).toEqual([]);
  expect(drawLines([0, 0])).toEqual([{ line: 'M0 55L240 55', area: 'M0 55L240 55V56H0Z' }]);
});

test('finds the highest known value', () => {
  expect(readMost([null, 2, 1])).toBe(2);
  expect(readMost([null])).toBeNull();
});

test('keeps the digits that matter', () => {
  expect([0, 1 / 15, 0.12, 17.24, 99.96, 1481.6].map(formatFigure)).toEqual([
    '0',
    '0.07',
    '0.1',
    '17.2',
    '100.0',
    '1,482',
  ]);
});

test('says how many problems there are, and how many are urgent', () => {
  expect(countProblems(0, 0)).toBe('All systems normal');
  expect(countProblems(1, 0)).toBe('1 problem, not urgent');
  expect(countProblems(1, 1)).toBe('1 urgent problem: users are affected');
  expect(countProblems(2, 0)).toBe('2 problems, not urgent');
  expect(countProblems(2, 1)).toBe('2 problems, 1 urgent: users are affected');
});

test('says what flows, as far as it is known', () => {
  expect(describeFlow(null, null)).toBe('');
  expect(describeFlow('0', null)).toBe('No hooks right now.');
  expect(describeFlow(null, '84 ms')).toBe('95 of 100 events reach the open streams within 84 ms.');
  expect(describeFlow('17.2', '84 ms')).toBe(
    'Accepting 17.2 hooks/s. 95 of 100 events reach the open streams within 84 ms.',
  );
});

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

test('tells of a delay after 10 s', () => {
  const since = '2026-11-25T08:00:00.000Z';
  const read = (at: string) => readPublishingDelay({ at, outboxesWaitingSince: since });
  expect(read('2026-11-25T08:00:10.000Z')).toBeNull();
  expect(read('2026-11-25T08:00:10.001Z')).toBe(since);
  expect(readPublishingDelay({ at: since, outboxesWaitingSince: null })).toBeNull();
});
