import type { LogPosition } from '@widget-service/shared/domain/log-position.ts';
import type { LogRecord } from '@widget-service/shared/ports/event-log.ts';
import { describe, expect, test } from 'vitest';
import { LogDiscontinuityError, makeReadLog, makeReadPage, seekToEnd } from './log-reader.ts';
import { Ring } from './ring.ts';

const noWidget = { widgetId: null, state: null, stateBefore: null, labels: null };
const event = { eventId: 'e', type: 'widget.updated', ...noWidget, json: '{}' } as const;
const makeRecord = (seq: number, epoch = 'now', previousMs = seq - 1): LogRecord => ({
  epoch,
  ms: seq,
  seq,
  previousMs,
  event,
});
const at = (seq: number, epoch = 'now'): LogPosition => ({ epoch, ms: seq, seq });

/** A log whose reads the test answers, in order. */
function openControlledLog() {
  const reads: { after: LogPosition; answer: (records: LogRecord[]) => void; fail: (error: Error) => void }[] = [];
  const readAfter = (after: LogPosition) =>
    new Promise<LogRecord[]>((answer, fail) => {
      reads.push({ after, answer, fail });
    });
  const readLog = makeReadLog({ readAfter }, (fetch) => fetch(500));
  return {
    reads,
    readLog: (after: LogPosition, reader = 'one reader') => readLog(after, reader),
    /** Answers the reads in order, one after another, and returns the positions that were read. */
    answerAll: async () => {
      for (const { after, answer } of reads) {
        answer([makeRecord(after.seq + 1)]);
        await new Promise((resolve) => setImmediate(resolve));
      }
      return reads.map(({ after }) => after.seq);
    },
  };
}

describe('makeReadLog', () => {
  test('shares one read among simultaneous callers at one position, and reads again for later callers', async () => {
    const { reads, readLog } = openControlledLog();
    const crowd = Array.from({ length: 1_000 }, () => readLog(at(5)));
    await Promise.resolve();
    expect(reads).toHaveLength(1);
    reads[0]?.answer([makeRecord(6), makeRecord(7)]);
    for (const page of await Promise.all(crowd)) expect(page.map(({ seq }) => seq)).toEqual([6, 7]);
    void readLog(at(5));
    await Promise.resolve();
    expect(reads).toHaveLength(2);
  });

  test('reads at most twenty pages at once', async () => {
    const { reads, readLog } = openControlledLog();
    const pages = Array.from({ length: 50 }, (_, n) => readLog(at(n)));
    await Promise.resolve();
    expect(reads).toHaveLength(20);
    for (let n = 0; n < 50; n += 1) {
      reads[n]?.answer([makeRecord(n + 1)]);
      await pages[n];
      await Promise.resolve();
    }
    expect(reads).toHaveLength(50);
  });

  test('lets readers take turns: one with a hundred streams delays another by one read', async () => {
    const { readLog, answerAll } = openControlledLog();
    const many = Array.from({ length: 100 }, (_, n) => readLog(at(n), 'many streams'));
    const few = [readLog(at(1_001), 'few streams'), readLog(at(1_002), 'few streams')];
    // Twenty run at once, so the others begin with the twenty-first.
    const order = await answerAll();
    expect(order.slice(20, 24)).toEqual([20, 1_001, 21, 1_002]);
    expect(order).toHaveLength(102);
    await Promise.all([...many, ...few]);
  });

  test('reads a position when the first of its readers has a turn, and only once', async () => {
    const { readLog, answerAll } = openControlledLog();
    const many = Array.from({ length: 100 }, (_, n) => readLog(at(n), 'many streams'));
    const crowd = Array.from({ length: 50 }, (_, n) => readLog(at(99), `reader ${n}`));
    const order = await answerAll();
    expect(order.indexOf(99)).toBe(21);
    expect(order).toHaveLength(100);
    for (const page of await Promise.all(crowd)) expect(page.map(({ seq }) => seq)).toEqual([100]);
    await Promise.all(many);
  });

  test('rejects every caller that shares a failed read, and reads again for the next caller', async () => {
    const { reads, readLog } = openControlledLog();
    const both = [readLog(at(5)), readLog(at(5))];
    await Promise.resolve();
    reads[0]?.fail(new Error('unavailable'));
    for (const page of both) await expect(page).rejects.toThrow('unavailable');
    const again = readLog(at(5));
    await Promise.resolve();
    reads[1]?.answer([]);
    expect(await again).toEqual([]);
  });

  test.each([
    ['does not begin right after the position', [makeRecord(7)]],
    ['is of another epoch', [makeRecord(6, 'new')]],
    ['follows another event with the seq of the position', [makeRecord(6, 'now', 4)]],
  ])('rejects a page that %s', async (_, records) => {
    const { reads, readLog } = openControlledLog();
    const page = readLog(at(5));
    await Promise.resolve();
    reads[0]?.answer(records);
    await expect(page).rejects.toBeInstanceOf(LogDiscontinuityError);
  });

  test.each([
    ['a hole', makeRecord(8)],
    ['another history', makeRecord(7, 'now', 5)],
  ])('returns the events before %s', async (_, record) => {
    const { reads, readLog } = openControlledLog();
    const page = readLog(at(5));
    await Promise.resolve();
    reads[0]?.answer([makeRecord(6), record]);
    expect((await page).map(({ seq }) => seq)).toEqual([6]);
  });
});

const targetBytes = 256 * 1024;
const makeRecordOf = (bytes: number): LogRecord => ({ ...makeRecord(1), event: { ...event, json: 'x'.repeat(bytes) } });

/** A `ReadPage` over an endless log. `read` reads a page of events of one size, and `sizes` records the pages. */
function openEndlessLog() {
  const readPage = makeReadPage(targetBytes);
  const sizes: { events: number; bytes: number }[] = [];
  const read = async (eventBytes: number, available = Number.POSITIVE_INFINITY) => {
    const record = makeRecordOf(eventBytes);
    const page = await readPage(async (limit) => Array.from({ length: Math.min(limit, available) }, () => record));
    sizes.push({ events: page.length, bytes: page.length * eventBytes });
  };
  const fail = () => readPage(() => Promise.reject(new Error('unavailable')));
  return { readPage, sizes, read, fail };
}

describe('makeReadPage', () => {
  test.each([
    ['small', 300, 500],
    ['ordinary', 1_000, 256],
    ['large', 65_536, 4],
  ])('approaches the target size when the events are %s', async (_, eventBytes, events) => {
    const { read, sizes } = openEndlessLog();
    for (let reads = 0; reads < 10; reads += 1) await read(eventBytes);
    expect(sizes[0]?.events).toBe(4);
    for (const { events: count } of sizes.slice(7)) expect(count).toBe(events);
  });

  test('reads single events when one event is larger than the target', async () => {
    const { read, sizes } = openEndlessLog();
    for (let reads = 0; reads < 3; reads += 1) await read(1_048_576);
    expect(sizes.map(({ events }) => events)).toEqual([4, 1, 1]);
  });

  test('shrinks the page when events become large and grows it again when they become small', async () => {
    const { read, sizes } = openEndlessLog();
    for (let reads = 0; reads < 6; reads += 1) await read(300);
    await read(65_536);
    await read(65_536);
    expect(sizes.at(-1)?.bytes).toBeLessThanOrEqual(targetBytes);
    for (let reads = 0; reads < 8; reads += 1) await read(300);
    expect(sizes.at(-1)?.events).toBe(500);
  });

  test('halves the limit after a failed read', async () => {
    const { read, fail, sizes } = openEndlessLog();
    await expect(fail()).rejects.toThrow('unavailable');
    await read(1_000);
    expect(sizes[0]?.events).toBe(2);
    for (let failures = 0; failures < 10; failures += 1) await expect(fail()).rejects.toThrow('unavailable');
    await read(1_000);
    expect(sizes[1]?.events).toBe(1);
  });

  test('does not double the limit after a page that is not full', async () => {
    const { read, sizes } = openEndlessLog();
    for (let reads = 0; reads < 10; reads += 1) await read(300, 3);
    await read(300);
    expect(sizes.at(-1)?.events).toBe(4);
  });

  test('doubles the limit once for concurrent reads', async () => {
    const { readPage, read, sizes } = openEndlessLog();
    const fetches: PromiseWithResolvers<LogRecord[]>[] = [];
    const pages = Array.from({ length: 20 }, () =>
      readPage(() => {
        const fetch = Promise.withResolvers<LogRecord[]>();
        fetches.push(fetch);
        return fetch.promise;
      }),
    );
    for (const fetch of fetches) fetch.resolve(Array.from({ length: 4 }, () => makeRecordOf(300)));
    await Promise.all(pages);
    await read(300);
    expect(sizes[0]?.events).toBe(8);
  });
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

describe('seekToEnd', () => {
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
      [
        ...makeRecords({ to: 30 }).map((record) => ({ ...record, epoch: 'then' })),
        ...makeRecords({ from: 31, to: 40 }),
      ],
    ],
  ])('leaves out events %s', async (_, records) => {
    const { kept, ring } = await seekRing(records);
    expect(kept).toEqual([31, 32, 33, 34, 35, 36, 37, 38, 39, 40]);
    expect(ring.canServeFrom(30)).toBe(false);
  });
});
