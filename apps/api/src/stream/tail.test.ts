import { UnavailableError } from '@widget-service/shared/domain/errors.ts';
import type { LogPosition } from '@widget-service/shared/domain/log-position.ts';
import type { LogExtent } from '@widget-service/shared/domain/stream-start.ts';
import type { LogRecord } from '@widget-service/shared/ports/event-log.ts';
import { systemClock } from '@widget-service/shared/runtime/clock.ts';
import { createLogger } from '@widget-service/shared/runtime/logger.ts';
import { afterEach, expect, it } from 'vitest';
import { createTailTask } from './tail.ts';
import { anEntitlement, openFakeHub } from './testing/fake-hub.ts';
import { eventsIn, openFakeSink } from './testing/fake-sink.ts';

const position = (seq: number, epoch = 'e1'): LogPosition => ({ epoch, ms: 1_000 + seq, seq });
const nothing = { widgetId: null, state: null, stateBefore: null, labels: null };
const record = (seq: number, previousMs = 999 + seq): LogRecord => ({
  ...position(seq),
  previousMs,
  event: { eventId: `e${seq}`, type: 'widget.updated', ...nothing, json: '{}' },
});

const logger = await createLogger({ level: 'silent' });
const ended: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ended.splice(0)) await end();
});

/** A tail of a log whose answers are given by hand, and the streams of its pod. The pod has got to the fifth event. */
function openTail() {
  const fake = openFakeHub({ ringFrames: 100 });
  fake.append(5);
  const reads: PromiseWithResolvers<LogRecord[]>[] = [];
  const inspections: PromiseWithResolvers<{ extent: LogExtent; contains: boolean }>[] = [];
  const notHere = () => Promise.reject(new Error('not asked for here'));
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
    append: notHere,
  };

  const state = { nowMs: 0, recordedSeq: 5, confirm: async (): Promise<void> => undefined };
  const lastPosition = async () => ({ epochRun: 1, ...position(state.recordedSeq) });
  const clock = { ...systemClock, monotonicMs: () => state.nowMs, sleep: async () => undefined };
  const runs = { startRun: notHere, lastPosition };
  const waitUntilFresh = () => state.confirm();
  const task = createTailTask({ ...fake, eventLog, runs, readPage: (ask) => ask(500), waitUntilFresh, clock, logger });
  const stop = new AbortController();
  void task.run(stop.signal);
  ended.push(async () => {
    stop.abort();
    fake.hub.close();
  });
  const asked = async <T>(questions: T[]): Promise<T> => {
    while (questions.length === 0) await new Promise((resolve) => setImmediate(resolve));
    return questions.shift() as T;
  };
  return {
    ...fake,
    /** Answers the next read of the log. */
    read: async (...records: LogRecord[]) => (await asked(reads)).resolve(records),
    /** Fails the next read, and every question meanwhile. */
    failToRead: async () => {
      (await asked(reads)).reject(new UnavailableError('the log is away'));
      (await asked(inspections)).reject(new UnavailableError('the log is away'));
    },
    /** What the clock shows, what runs have recorded of the log, and how rights are confirmed. */
    state,
    /** Answers the next question where the log ends; `meanwhile` runs before the answer. */
    inspect: async (last: LogPosition, meanwhile: () => void = () => undefined) => {
      const inspection = await asked(inspections);
      meanwhile();
      inspection.resolve({ extent: { epoch: last.epoch, oldest: position(0), last }, contains: false });
    },
    task,
  };
}

it('gives what it reads to the streams', async () => {
  const { join, read } = openTail();
  const sink = openFakeSink();
  join(sink, 5);
  await read(record(6), record(7));
  await read(record(8));
  await sink.until(() => sink.text().includes('id: e1.1008.8\n'));
});

it('ends the streams that stand beyond the end of the log, and no others', async () => {
  const { join, read, inspect, hub, reasons, append } = openTail();
  const [inside, beyond, later] = [openFakeSink(), openFakeSink(), openFakeSink()];
  join(inside, 5);
  join(beyond, 7);
  await read();
  // What was joined while the log was being asked may stand on what came since.
  await inspect(position(5), () => join(later, 7));
  await beyond.until(() => beyond.isEnded);
  expect(beyond.text()).toContain('"reason":"resync"');
  expect(reasons).toEqual(['resync']);
  expect(hub.size()).toBe(2);
  append(1);
  await inside.until(() => eventsIn(inside).length === 1);
});

it.each([
  ['is another', position(5, 'e2')],
  ['ends earlier', position(4)],
  ['has another event of the same number', { ...position(5), ms: 999 }],
])('ends all streams when the log %s, and begins anew at its end', async (_, end) => {
  const { join, read, inspect, ring, hub, reasons } = openTail();
  for (const seq of [2, 5]) join(openFakeSink(), seq);
  await read();
  await inspect(end);
  await inspect(end);
  while (hub.size() > 0) await new Promise((resolve) => setImmediate(resolve));
  expect(reasons).toEqual(['resync', 'resync']);
  expect(ring.position()).toEqual(end);
});

it.each([
  ['after a hole', record(7)],
  ['after another event of the same number', record(6, 999)],
])('ends all streams when an event comes %s', async (_, next) => {
  const { join, read, inspect, ring, hub } = openTail();
  join(openFakeSink(), 5);
  await read(next);
  await inspect(position(9));
  while (hub.size() > 0) await new Promise((resolve) => setImmediate(resolve));
  expect(ring.position()).toEqual(position(9));
});

it('sends streams elsewhere when others go on appending and this pod alone cannot read', async () => {
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

it('keeps them when it can read again in between', async () => {
  const { join, failToRead, read, state, hub } = openTail();
  const sink = openFakeSink();
  join(sink, 5);
  for (let seq = 6; seq < 12; seq += 1) {
    for (const until = state.nowMs + 8_000; state.nowMs < until; state.nowMs += 2_000) {
      await failToRead();
      state.recordedSeq += 1;
    }
    await read(record(seq));
    await sink.until(() => eventsIn(sink).length === seq - 5);
  }
  expect(hub.size()).toBe(1);
});

it('leaves them open while nobody appends, and gives them what comes when the log is back', async () => {
  const { join, failToRead, read, state } = openTail();
  const sink = openFakeSink();
  join(sink, 5);
  for (; state.nowMs < 120_000; state.nowMs += 2_000) await failToRead();
  await read(record(6));
  await sink.until(() => eventsIn(sink).length === 1);
});

it('has rights confirmed before it gives streams anything', async () => {
  const { join, read, state, hub, reasons } = openTail();
  const [kept, revoked] = [openFakeSink(), openFakeSink()];
  join(kept, 5);
  join(revoked, 5, anEntitlement({}, { tokenDigest: 'revoked' }));
  let confirmed = 0;
  state.confirm = async () => {
    confirmed += 1;
    hub.reevaluate((right) => (right.tokenDigest === 'revoked' ? 'revoked' : right));
  };
  await read(record(6));
  await read(record(7));
  await kept.until(() => eventsIn(kept).length === 2);
  expect(reasons).toEqual(['revoked']);
  expect(eventsIn(revoked)).toEqual([]);
  expect(confirmed).toBe(2);
});
