import { UnavailableError } from '@widget-service/shared/domain/errors.ts';
import type { LogPosition } from '@widget-service/shared/domain/log-position.ts';
import type { LogExtent } from '@widget-service/shared/domain/stream-start.ts';
import { createMetrics } from '@widget-service/shared/metrics/metrics.ts';
import type { LogRecord } from '@widget-service/shared/ports/event-log.ts';
import { systemClock } from '@widget-service/shared/runtime/clock.ts';
import { createLogger } from '@widget-service/shared/runtime/logger.ts';
import { afterEach, expect, test } from 'vitest';
import { createTailTask } from './tail.ts';
import { anEntitlement, openFakeHub } from './testing/fake-hub.ts';
import { openFakeSink, parseEventSeqs } from './testing/fake-sink.ts';

const makePosition = (seq: number, epoch = 'e1'): LogPosition => ({ epoch, ms: 1_000 + seq, seq });
const noWidget = { widgetId: null, state: null, stateBefore: null, labels: null };
const makeRecord = (seq: number, previousMs = 999 + seq): LogRecord => ({
  ...makePosition(seq),
  previousMs,
  event: { eventId: `e${seq}`, type: 'widget.updated', ...noWidget, json: '{}' },
});

const logger = await createLogger({ level: 'silent' });
const cleanups: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanups.splice(0)) await cleanUp();
});

/** A running tail over a log whose reads the test answers. The pod has read events 1 to 5. */
function openTail() {
  const fake = openFakeHub({ ringFrames: 100 });
  fake.append(5);
  const reads: PromiseWithResolvers<LogRecord[]>[] = [];
  const inspections: PromiseWithResolvers<{ extent: LogExtent; contains: boolean }>[] = [];
  const unexpected = () => Promise.reject(new Error('not expected in this test'));
  const eventLog = {
    openTail: () => ({
      next: () => {
        const read = Promise.withResolvers<LogRecord[]>();
        reads.push(read);
        return read.promise;
      },
      close: async () => undefined,
    }),
    inspect: () => {
      const inspection = Promise.withResolvers<{ extent: LogExtent; contains: boolean }>();
      inspections.push(inspection);
      return inspection.promise;
    },
    readUpTo: async () => [],
    append: unexpected,
  };

  const state = { nowMs: 0, recordedSeq: 5, waitUntilFresh: async (): Promise<void> => undefined };
  const lastPosition = async () => ({ epochRun: 1, ...makePosition(state.recordedSeq) });
  const clock = { ...systemClock, monotonicMs: () => state.nowMs, sleep: async () => undefined };
  const runs = { startRun: unexpected, lastPosition };
  const waitUntilFresh = () => state.waitUntilFresh();
  const task = createTailTask({
    ...fake,
    eventLog,
    runs,
    readPage: (fetch) => fetch(500),
    waitUntilFresh,
    clock,
    logger,
    metrics: createMetrics(),
  });
  const stop = new AbortController();
  void task.run(stop.signal);
  cleanups.push(async () => {
    stop.abort();
    fake.hub.close();
  });
  const takeFirst = async <T>(calls: T[]): Promise<T> => {
    while (calls.length === 0) await new Promise((resolve) => setImmediate(resolve));
    return calls.shift() as T;
  };
  return {
    ...fake,
    /** Answers the next read of the log with these records. */
    read: async (...records: LogRecord[]) => (await takeFirst(reads)).resolve(records),
    /** Fails the next read and the inspection after it. */
    failToRead: async () => {
      (await takeFirst(reads)).reject(new UnavailableError('the log is unavailable'));
      (await takeFirst(inspections)).reject(new UnavailableError('the log is unavailable'));
    },
    /** The monotonic clock, the recorded position and the behaviour of `waitUntilFresh`. */
    state,
    /**
     * Answers the next inspection: the log ends at `last`, and may contain the position of the tail. `beforeAnswer`
     * runs before the answer.
     */
    inspect: async (last: LogPosition, beforeAnswer: () => void = () => undefined, contains = false) => {
      const inspection = await takeFirst(inspections);
      beforeAnswer();
      inspection.resolve({ extent: { epoch: last.epoch, oldest: makePosition(0), last }, contains });
    },
    task,
  };
}

test('needs the store of the event log, which `/readyz` names with a reason', () => {
  const { name, stores } = openTail().task;
  expect([name, ...stores]).toEqual(['tail', 'events']);
});

test('sends the events that it reads to the streams', async () => {
  const { join, read } = openTail();
  const sink = openFakeSink();
  join(sink, 5);
  await read(makeRecord(6), makeRecord(7));
  await read(makeRecord(8));
  await sink.until(() => sink.text().includes('id: e1.1008.8\n'));
});

test('closes the streams that were ahead of the log before its end was read, and no others', async () => {
  const { join, read, inspect, reasons, append } = openTail();
  const [behind, atEnd, ahead, later] = [openFakeSink(), openFakeSink(), openFakeSink(), openFakeSink()];
  join(behind, 5);
  join(atEnd, 6);
  join(ahead, 7);
  await read();
  // A stream that joins during the inspection may be at an event that was appended after it.
  await inspect(makePosition(6), () => join(later, 7), true);
  await ahead.until(() => ahead.isEnded);
  expect(ahead.text()).toContain('"reason":"resync"');
  expect(reasons).toEqual(['resync']);
  append(3);
  await behind.until(() => parseEventSeqs(behind).length === 3);
  await atEnd.until(() => parseEventSeqs(atEnd).length === 2);
  await later.until(() => parseEventSeqs(later).length === 1);
});

test.each([
  ['has another epoch', makePosition(5, 'e2')],
  ['ends earlier', makePosition(4)],
  ['has another event with the same seq', { ...makePosition(5), ms: 999 }],
])('closes all streams and seeks to the end when the log %s', async (_, end) => {
  const { join, read, inspect, ring, hub, reasons } = openTail();
  for (const seq of [2, 5]) join(openFakeSink(), seq);
  await read();
  await inspect(end);
  await inspect(end);
  while (hub.size() > 0) await new Promise((resolve) => setImmediate(resolve));
  expect(reasons).toEqual(['resync', 'resync']);
  expect(ring.position()).toEqual(end);
});

test.each([
  ['after a hole', makeRecord(7)],
  ['after another event with the same seq', makeRecord(6, 999)],
])('closes all streams when an event arrives %s', async (_, next) => {
  const { join, read, inspect, ring, hub } = openTail();
  join(openFakeSink(), 5);
  await read(next);
  await inspect(makePosition(9));
  while (hub.size() > 0) await new Promise((resolve) => setImmediate(resolve));
  expect(ring.position()).toEqual(makePosition(9));
});

test('closes the streams with unavailable when others append and this pod cannot read', async () => {
  const { join, failToRead, state, hub, reasons } = openTail();
  const sink = openFakeSink();
  join(sink, 5);
  for (; hub.size() > 0; state.nowMs += 2_000) {
    await failToRead();
    state.recordedSeq += 1;
  }
  expect(state.nowMs).toBeGreaterThan(20_000);
  expect(state.nowMs).toBeLessThan(30_000);
  expect(reasons).toEqual(['unavailable']);
});

test('keeps the streams open when a read succeeds in between', async () => {
  const { join, failToRead, read, state, hub } = openTail();
  const sink = openFakeSink();
  join(sink, 5);
  for (let seq = 6; seq < 12; seq += 1) {
    for (const until = state.nowMs + 8_000; state.nowMs < until; state.nowMs += 2_000) {
      await failToRead();
      state.recordedSeq += 1;
    }
    await read(makeRecord(seq));
    await sink.until(() => parseEventSeqs(sink).length === seq - 5);
  }
  expect(hub.size()).toBe(1);
});

test('keeps the streams open while nobody appends, and sends new events when the log is available again', async () => {
  const { join, failToRead, read, state } = openTail();
  const sink = openFakeSink();
  join(sink, 5);
  for (; state.nowMs < 120_000; state.nowMs += 2_000) await failToRead();
  await read(makeRecord(6));
  await sink.until(() => parseEventSeqs(sink).length === 1);
});

test('waits for revocation freshness before it sends events', async () => {
  const { join, read, state, hub, reasons } = openTail();
  const [kept, revoked] = [openFakeSink(), openFakeSink()];
  join(kept, 5);
  join(revoked, 5, anEntitlement({}, { tokenDigest: 'revoked' }));
  let waits = 0;
  state.waitUntilFresh = async () => {
    waits += 1;
    hub.reevaluate((entitlement) =>
      entitlement.tokenDigest === 'revoked' ? { status: 'revoked' } : { status: 'ok', entitlement },
    );
  };
  await read(makeRecord(6));
  await read(makeRecord(7));
  await kept.until(() => parseEventSeqs(kept).length === 2);
  expect(reasons).toEqual(['revoked']);
  expect(parseEventSeqs(revoked)).toEqual([]);
  expect(waits).toBe(2);
});
