import type { LogPosition } from '@widget-service/shared/domain/log-position.ts';
import type { LogRecord } from '@widget-service/shared/ports/event-log.ts';
import { expect, test } from 'vitest';
import { LogDiscontinuityError, makeReadLog } from './log-reader.ts';

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
