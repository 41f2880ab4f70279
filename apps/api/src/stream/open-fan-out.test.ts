import { parseSettings } from '@widget-service/shared/config/parse-settings.ts';
import type { LogPosition } from '@widget-service/shared/domain/cursor.ts';
import type { EventLog, LogRecord } from '@widget-service/shared/ports/event-log.ts';
import { systemClock } from '@widget-service/shared/runtime/clock.ts';
import { createLogger } from '@widget-service/shared/runtime/logger.ts';
import { expect, it, onTestFinished } from 'vitest';
import { aRight } from './fake-hub.ts';
import { eventsIn, openFakeSink } from './fake-sink.ts';
import { openFanOut } from './open-fan-out.ts';

const logger = await createLogger({ level: 'silent' });
const nothing = { widgetId: null, state: null, stateBefore: null, labels: null };
const at = (seq: number): LogPosition => ({ epoch: 'e1', ms: 1_000 + seq, seq });

/** A pod before a log that holds `count` events of this size, and what each of its reads brought. */
function openPod(count: number, eventBytes: number) {
  const json = 'x'.repeat(eventBytes);
  const record = (seq: number): LogRecord => ({
    ...{ ...at(seq), afterMs: 999 + seq },
    event: { eventId: `e${seq}`, type: 'widget.updated', ...nothing, json },
  });
  const pages: { readonly bytes: number; readonly reader: 'tail' | 'replay' | 'start' }[] = [];
  const between = (reader: 'tail' | 'replay' | 'start', from: number, to: number) => {
    const records = Array.from({ length: to - from + 1 }, (_, index) => record(from + index));
    pages.push({ reader, bytes: records.length * eventBytes });
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
        while (seq >= end) await new Promise((resolve) => setTimeout(resolve, 5));
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
    append: (more: number) => {
      end += more;
    },
  };
}

it('a log of large events is read a little at a time: at the start, behind the ring, and of what is new', async () => {
  const { fanOut, pages, append } = openPod(100, 65_536);
  await fanOut.reached(5_000);
  const sink = openFakeSink();
  fanOut.hub.join({ sink: sink.sink, right: aRight(), epoch: 'e1', cursor: at(0), onEnd: () => undefined });
  await sink.until(() => eventsIn(sink).length === 100);
  append(40);
  await sink.until(() => eventsIn(sink).length === 140);
  expect(new Set(pages.map(({ reader }) => reader))).toEqual(new Set(['start', 'replay', 'tail']));
  const [first, ...later] = pages.map(({ bytes }) => bytes);
  expect(first).toBeLessThanOrEqual(32 * 65_536);
  for (const bytes of later) expect(bytes).toBeLessThanOrEqual(262_144);
});
