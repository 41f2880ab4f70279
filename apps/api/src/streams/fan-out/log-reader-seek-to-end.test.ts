import type { LogPosition } from '@widget-service/shared/domain/log-position.ts';
import type { LogRecord } from '@widget-service/shared/ports/event-log.ts';
import { expect, test } from 'vitest';
import { seekToEnd } from './log-reader.ts';
import { Ring } from './ring.ts';

const noWidget = { widgetId: null, state: null, stateBefore: null, labels: null };
const makeRecord = (seq: number): LogRecord => ({
  ...{ epoch: 'now', ms: 1_000 + seq, seq, previousMs: 999 + seq },
  event: { eventId: `e${seq}`, type: 'widget.updated', ...noWidget, json: '{}' },
});
/** Returns the records with these numbers. */
const makeRecords = ({ from = 1, to }: { from?: number; to: number }) =>
  Array.from({ length: to - from + 1 }, (_, n) => makeRecord(from + n));
const toPosition = ({ epoch, ms, seq }: LogRecord): LogPosition => ({ epoch, ms, seq });

/**
 * Seeks a new ring to the end of a log with these records. Returns the ring, the `seq` numbers in it, the end of the
 * log and the count of reads.
 */
async function seekRing(records: readonly LogRecord[], limits = { frames: 10_000, bytes: 1e9 }) {
  const ring = new Ring(limits);
  const end = toPosition(records.at(-1) ?? makeRecord(0));
  let reads = 0;
  const eventLog = {
    inspect: async () => ({ extent: { epoch: end.epoch, oldest: end, last: end }, contains: false }),
    append: () => Promise.reject(new Error('not expected: the log exists')),
    readUpTo: async (position: LogPosition, limit: number) => {
      reads += 1;
      return records.filter(({ seq }) => seq <= position.seq).slice(-limit);
    },
  };
  const runs = { startRun: () => Promise.reject(new Error('not expected: the log exists')) };
  await seekToEnd(eventLog, runs, (fetch) => fetch(500), ring);
  const kept = records.filter((record) => ring.contains(toPosition(record))).map(({ seq }) => seq);
  return { ring, kept, end, reads };
}

test('fills the ring with the newest events up to the frame limit', async () => {
  const { ring, kept, end, reads } = await seekRing(makeRecords({ to: 1_700 }), { frames: 1_200, bytes: 1e9 });
  expect(kept).toEqual(Array.from({ length: 1_200 }, (_, n) => 501 + n));
  expect(ring.position()).toEqual(end);
  expect(reads).toBe(3);
});

test('fills the ring with every event of a short log', async () => {
  const { ring, kept, end } = await seekRing(makeRecords({ to: 7 }));
  expect(kept).toEqual([1, 2, 3, 4, 5, 6, 7]);
  expect(ring.canServeFrom(1)).toBe(true);
  expect(ring.position()).toEqual(end);
});

test('stops reading at the byte limit', async () => {
  const { kept, reads } = await seekRing(makeRecords({ to: 5_000 }), { frames: 10_000, bytes: 20_000 });
  expect(kept.length).toBeGreaterThan(0);
  expect(kept.at(-1)).toBe(5_000);
  expect(reads).toBe(1);
});

test('moves the ring to the end of an empty log', async () => {
  const { ring, end } = await seekRing([]);
  expect(ring.position()).toEqual(end);
  expect(ring.canServeFrom(end.seq)).toBe(false);
  expect(ring.canServeFrom(end.seq + 1)).toBe(true);
});

test.each([
  ['before a hole', [...makeRecords({ to: 20 }), ...makeRecords({ from: 31, to: 40 })]],
  [
    'of another epoch',
    [...makeRecords({ to: 30 }).map((record) => ({ ...record, epoch: 'then' })), ...makeRecords({ from: 31, to: 40 })],
  ],
])('leaves out events %s', async (_, records) => {
  const { kept, ring } = await seekRing(records);
  expect(kept).toEqual([31, 32, 33, 34, 35, 36, 37, 38, 39, 40]);
  expect(ring.canServeFrom(30)).toBe(false);
});
