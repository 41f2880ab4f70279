import type { LogPosition } from '@widget-service/shared/domain/log-position.ts';
import { createMetrics } from '@widget-service/shared/metrics/metrics.ts';
import type { EventLog, LogRecord } from '@widget-service/shared/ports/event-log.ts';
import { systemClock } from '@widget-service/shared/runtime/clock.ts';
import { createLogger } from '@widget-service/shared/runtime/logger.ts';
import { expect, onTestFinished, test } from 'vitest';
import { FanOut } from './fan-out.ts';
import { anEntitlement } from './testing/fake-hub.ts';
import { openFakeSink, parseEventSeqs } from './testing/fake-sink.ts';

const logger = await createLogger({ level: 'silent' });
const noWidget = { widgetId: null, state: null, stateBefore: null, labels: null };
const at = (seq: number): LogPosition => ({ epoch: 'e1', ms: 1_000 + seq, seq });

interface LogOptions {
  /** How many events the log holds at first. */
  readonly count: number;
  /** The size of each of these events. */
  readonly eventBytes: number;
  /** The size of later events; `eventBytes` by default. */
  readonly newEventBytes?: number;
  /** Whether each page of the tail waits for a page of a replay. */
  readonly isTailInStep?: boolean;
}

/** A pod over a log in memory. `pages` records what each read returned. */
function openPod({ count, eventBytes, newEventBytes = eventBytes, isTailInStep = false }: LogOptions) {
  const eventSize = (seq: number) => (seq <= count ? eventBytes : newEventBytes);
  const makeRecord = (seq: number): LogRecord => ({
    ...{ ...at(seq), previousMs: 999 + seq },
    event: { eventId: `e${seq}`, type: 'widget.updated', ...noWidget, json: 'x'.repeat(eventSize(seq)) },
  });
  const pages: { readonly reader: 'tail' | 'replay' | 'start'; readonly events: number; readonly bytes: number }[] = [];
  const selectPages = (reader: 'tail' | 'replay') => pages.filter((page) => page.reader === reader);
  const readBetween = (reader: 'tail' | 'replay' | 'start', from: number, to: number) => {
    const records = Array.from({ length: to - from + 1 }, (_, index) => makeRecord(from + index));
    const bytes = records.reduce((sum, { event }) => sum + event.json.length, 0);
    pages.push({ reader, events: records.length, bytes });
    return records;
  };
  let end = count;
  const unexpected = () => Promise.reject(new Error('not expected in this test'));
  const eventLog = {
    inspect: async () => ({ extent: { epoch: 'e1', oldest: at(0), last: at(end) }, contains: true }),
    readAfter: async ({ seq }, limit) => readBetween('replay', seq + 1, Math.min(end, seq + limit)),
    readUpTo: async ({ seq }, limit) => readBetween('start', Math.max(1, seq - limit + 1), seq),
    openTail: () => ({
      next: async ({ seq }, limit) => {
        const mustWait = () =>
          seq >= end || (isTailInStep && selectPages('tail').length >= selectPages('replay').length);
        while (mustWait()) await new Promise((resolve) => setTimeout(resolve, 1));
        return readBetween('tail', seq + 1, Math.min(end, seq + limit));
      },
      close: async () => undefined,
    }),
  } satisfies Partial<EventLog> as unknown as EventLog;
  const runs = { startRun: unexpected, lastPosition: unexpected, recordPosition: unexpected };
  const metrics = createMetrics();
  const options = { ringBytes: 1_000_000, unsentLimitBytes: 262_144 };
  const fanOut = new FanOut({ backend: { eventLog, runs }, options, clock: systemClock, logger, metrics });
  const stop = new AbortController();
  void fanOut.createTail(async () => undefined).run(stop.signal);
  onTestFinished(() => {
    stop.abort();
    end += 1;
    fanOut.hub.close();
  });
  return {
    fanOut,
    pages,
    selectPages,
    append: (more: number) => {
      end += more;
    },
  };
}

/** Opens a stream that begins with the first event. */
function join(fanOut: FanOut) {
  const sink = openFakeSink();
  const stream = { id: crypto.randomUUID(), address: null, sink: sink.sink, entitlement: anEntitlement() };
  fanOut.hub.join({ ...stream, epoch: 'e1', cursor: at(0), onEnd: () => undefined });
  return sink;
}

test('the start, a replay and the tail read a log of large events in pages of at most the unsent limit', async () => {
  const { fanOut, pages, append } = openPod({ count: 100, eventBytes: 65_536 });
  await fanOut.waitForPosition(5_000);
  const sink = join(fanOut);
  await sink.until(() => parseEventSeqs(sink).length === 100);
  append(40);
  await sink.until(() => parseEventSeqs(sink).length === 140);
  expect(new Set(pages.map(({ reader }) => reader))).toEqual(new Set(['start', 'replay', 'tail']));
  for (const { bytes } of pages) expect(bytes).toBeLessThanOrEqual(262_144);
});

test('a replay of large old events does not shrink the pages of the tail, whose events are small', async () => {
  const { fanOut, selectPages, append } = openPod({
    ...{ count: 100, eventBytes: 65_536 },
    ...{ newEventBytes: 300, isTailInStep: true },
  });
  await fanOut.waitForPosition(5_000);
  append(1_000);
  const sink = join(fanOut);
  await sink.until(() => selectPages('tail').some(({ events }) => events >= 250));
  expect(selectPages('replay').length).toBeLessThan(20);
});
