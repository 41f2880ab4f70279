import type { LogPosition } from '@widget-service/shared/domain/log-position.ts';
import type { LogRecord } from '@widget-service/shared/ports/event-log.ts';
import { expect, it } from 'vitest';
import { seekToEnd } from './log-reader.ts';
import { Ring } from './ring.ts';

const nothing = { widgetId: null, state: null, stateBefore: null, labels: null };
const record = (seq: number): LogRecord => ({
  ...{ epoch: 'now', ms: 1_000 + seq, seq, previousMs: 999 + seq },
  event: { eventId: `e${seq}`, type: 'widget.updated', ...nothing, json: '{}' },
});
const upTo = (last: number, first = 1) => Array.from({ length: last - first + 1 }, (_, n) => record(first + n));
const positionOf = ({ epoch, ms, seq }: LogRecord): LogPosition => ({ epoch, ms, seq });

/** Reaches a log that holds these, and counts how often it was read. */
async function reach(records: readonly LogRecord[], limits = { frames: 10_000, bytes: 1e9 }) {
  const ring = new Ring(limits);
  const end = positionOf(records.at(-1) ?? record(0));
  let reads = 0;
  const eventLog = {
    inspect: async () => ({ extent: { epoch: end.epoch, oldest: end, last: end }, contains: false }),
    append: () => Promise.reject(new Error('there is a log')),
    readUpTo: async (position: LogPosition, limit: number) => {
      reads += 1;
      return records.filter(({ seq }) => seq <= position.seq).slice(-limit);
    },
  };
  const runs = { startRun: () => Promise.reject(new Error('there is a log')) };
  await seekToEnd({ eventLog, runs, readPage: (ask) => ask(500), ring });
  const kept = records.filter((each) => ring.contains(positionOf(each))).map(({ seq }) => seq);
  return { ring, kept, end, reads };
}

it('a ring begins with the newest events, as many as it holds', async () => {
  const { ring, kept, end, reads } = await reach(upTo(1_700), { frames: 1_200, bytes: 1e9 });
  expect(kept).toEqual(Array.from({ length: 1_200 }, (_, n) => 501 + n));
  expect(ring.position()).toEqual(end);
  expect(reads).toBe(3);
});

it('or with all of a short log', async () => {
  const { ring, kept, end } = await reach(upTo(7));
  expect(kept).toEqual([1, 2, 3, 4, 5, 6, 7]);
  expect(ring.covers(1)).toBe(true);
  expect(ring.position()).toEqual(end);
});

it('and no more bytes than it may hold', async () => {
  const { kept, reads } = await reach(upTo(5_000), { frames: 10_000, bytes: 20_000 });
  expect(kept.length).toBeGreaterThan(0);
  expect(kept.at(-1)).toBe(5_000);
  expect(reads).toBe(1);
});

it('with nothing of a log that is empty', async () => {
  const { ring, end } = await reach([]);
  expect(ring.position()).toEqual(end);
  expect(ring.covers(end.seq)).toBe(false);
  expect(ring.covers(end.seq + 1)).toBe(true);
});

it.each([
  ['a hole', [...upTo(20), ...upTo(40, 31)]],
  ['what is of another epoch', [...upTo(30).map((each) => ({ ...each, epoch: 'then' })), ...upTo(40, 31)]],
])('with nothing from before %s', async (_, records) => {
  const { kept, ring } = await reach(records);
  expect(kept).toEqual([31, 32, 33, 34, 35, 36, 37, 38, 39, 40]);
  expect(ring.covers(30)).toBe(false);
});
