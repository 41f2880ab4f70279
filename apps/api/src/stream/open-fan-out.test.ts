import { parseSettings } from '@widget-service/shared/config/parse-settings.ts';
import type { LogPosition } from '@widget-service/shared/domain/log-position.ts';
import type { EventLog, LogRecord } from '@widget-service/shared/ports/event-log.ts';
import { systemClock } from '@widget-service/shared/runtime/clock.ts';
import { createLogger } from '@widget-service/shared/runtime/logger.ts';
import { expect, it, onTestFinished } from 'vitest';
import { openFanOut } from './open-fan-out.ts';
import { anEntitlement } from './testing/fake-hub.ts';
import { eventsIn, openFakeSink } from './testing/fake-sink.ts';

const logger = await createLogger({ level: 'silent' });
const nothing = { widgetId: null, state: null, stateBefore: null, labels: null };
const at = (seq: number): LogPosition => ({ epoch: 'e1', ms: 1_000 + seq, seq });

interface LogOptions {
  /** What the log holds at first, and the size of each of these. */
  readonly count: number;
  readonly eventBytes: number;
  /** The size of those that come later; as the others by default. */
  readonly newEventBytes?: number;
  /** Whether the tail gets a page only after each page of a replay. */
  readonly isTailInStep?: boolean;
}

/** A pod before a log, and what each of its reads brought. */
function openPod({ count, eventBytes, newEventBytes = eventBytes, isTailInStep = false }: LogOptions) {
  const bytesOf = (seq: number) => (seq <= count ? eventBytes : newEventBytes);
  const record = (seq: number): LogRecord => ({
    ...{ ...at(seq), previousMs: 999 + seq },
    event: { eventId: `e${seq}`, type: 'widget.updated', ...nothing, json: 'x'.repeat(bytesOf(seq)) },
  });
  const pages: { readonly reader: 'tail' | 'replay' | 'start'; readonly events: number; readonly bytes: number }[] = [];
  const pagesOf = (reader: 'tail' | 'replay') => pages.filter((page) => page.reader === reader);
  const between = (reader: 'tail' | 'replay' | 'start', from: number, to: number) => {
    const records = Array.from({ length: to - from + 1 }, (_, index) => record(from + index));
    const bytes = records.reduce((sum, { event }) => sum + event.json.length, 0);
    pages.push({ reader, events: records.length, bytes });
    return records;
  };
  let end = count;
  const away = () => Promise.reject(new Error('not asked for here'));
  const eventLog = {
    inspect: async () => ({ extent: { epoch: 'e1', oldest: at(0), last: at(end) }, contains: true }),
    readAfter: async ({ seq }, limit) => between('replay', seq + 1, Math.min(end, seq + limit)),
    readUpTo: async ({ seq }, limit) => between('start', Math.max(1, seq - limit + 1), seq),
    openTail: () => ({
      next: async ({ seq }, limit) => {
        const mustWait = () => seq >= end || (isTailInStep && pagesOf('tail').length >= pagesOf('replay').length);
        while (mustWait()) await new Promise((resolve) => setTimeout(resolve, 1));
        return between('tail', seq + 1, Math.min(end, seq + limit));
      },
      close: async () => undefined,
    }),
  } satisfies Partial<EventLog> as unknown as EventLog;
  const runs = { next: away, lastPosition: away, record: away, raise: away } as never;
  const { settings } = parseSettings({ RING_BYTES: '1000000' }, { app: 'api', isTerminal: false });
  const metrics = { framesDelivered: { inc: () => undefined } } as never;
  const fanOut = openFanOut({ backend: { eventLog, runs }, settings, clock: systemClock, logger, metrics });
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
    pagesOf,
    append: (more: number) => {
      end += more;
    },
  };
}

it('a log of large events is read a little at a time: at the start, behind the ring, and of what is new', async () => {
  const { fanOut, pages, append } = openPod({ count: 100, eventBytes: 65_536 });
  await fanOut.waitForPosition(5_000);
  const sink = openFakeSink();
  fanOut.hub.join({
    sink: sink.sink,
    entitlement: anEntitlement(),
    epoch: 'e1',
    cursor: at(0),
    onEnd: () => undefined,
  });
  await sink.until(() => eventsIn(sink).length === 100);
  append(40);
  await sink.until(() => eventsIn(sink).length === 140);
  expect(new Set(pages.map(({ reader }) => reader))).toEqual(new Set(['start', 'replay', 'tail']));
  for (const { bytes } of pages) expect(bytes).toBeLessThanOrEqual(262_144);
});

it('a replay of large old events does not slow down the tail, whose events are small', async () => {
  const { fanOut, pagesOf, append } = openPod({
    ...{ count: 100, eventBytes: 65_536 },
    ...{ newEventBytes: 300, isTailInStep: true },
  });
  await fanOut.waitForPosition(5_000);
  append(1_000);
  const sink = openFakeSink();
  fanOut.hub.join({
    sink: sink.sink,
    entitlement: anEntitlement(),
    epoch: 'e1',
    cursor: at(0),
    onEnd: () => undefined,
  });
  await sink.until(() => pagesOf('tail').some(({ events }) => events >= 250));
  expect(pagesOf('replay').length).toBeLessThan(20);
});
