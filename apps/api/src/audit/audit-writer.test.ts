import type { AuditEvent } from '@widget-service/shared/domain/audit-event.ts';
import { UnavailableError, UnstorableError } from '@widget-service/shared/domain/errors.ts';
import { createMetrics } from '@widget-service/shared/metrics/metrics.ts';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { AuditWriter } from './audit-writer.ts';
import { buildAuditEvent } from './testing/build-audit-event.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

type Answer = (events: readonly AuditEvent[]) => Promise<void> | void;

/** A writer over a store that keeps what it gets, unless `answer` throws or waits. */
function openWriter() {
  const state = { calls: [] as string[][], stored: [] as AuditEvent[], lines: [] as [string, string, object][] };
  const store = { answer: (() => undefined) as Answer };
  const metrics = createMetrics();
  const log = (level: string) => (fields: object, message: string) => void state.lines.push([level, message, fields]);
  const writer = new AuditWriter({
    store: {
      append: async (events) => {
        state.calls.push(events.map(({ id }) => id));
        await store.answer(events);
        state.stored.push(...events);
      },
    },
    logger: { error: log('error'), warn: log('warn'), info: log('info') } as never,
    metrics,
  });
  const countLost = async () => (await metrics.auditEventsLost.get()).values[0]?.value ?? 0;
  return { writer, state, store, countLost };
}

const [a, b, c] = [buildAuditEvent(), buildAuditEvent(), buildAuditEvent()];
const fail = () => {
  throw new UnavailableError('the store is down');
};

describe('AuditWriter', () => {
  test('resolves when the event is stored', async () => {
    const { writer, state } = openWriter();
    await writer.write(a, 100);
    expect(state.stored).toEqual([a]);
    expect(state.lines).toEqual([]);
  });

  test('writes the events that arrive during a write together', async () => {
    const { writer, state, store } = openWriter();
    const first = Promise.withResolvers<void>();
    store.answer = () => first.promise;
    const writes = [a, b, c].map((event) => writer.write(event, 100));
    first.resolve();
    await Promise.all(writes);
    expect(state.calls).toEqual([[a.id], [b.id, c.id]]);
  });

  test('resolves when the write fails, logs one error, and repeats the write until it succeeds', async () => {
    const { writer, state, store, countLost } = openWriter();
    store.answer = fail;
    await writer.write(a, 100);
    await vi.advanceTimersByTimeAsync(3_500);
    expect(state.calls).toEqual([[a.id], [a.id], [a.id], [a.id]]);
    expect(state.lines.map(([level, message]) => [level, message])).toEqual([['error', 'audit.not_stored']]);
    store.answer = () => undefined;
    await vi.advanceTimersByTimeAsync(1_000);
    expect(state.stored).toEqual([a]);
    expect(state.lines.at(-1)).toMatchObject(['info', 'audit.stored_again', {}]);
    expect(await countLost()).toBe(0);
  });

  test('repeats a failed write with the next event', async () => {
    const { writer, state, store } = openWriter();
    store.answer = fail;
    await writer.write(a, 100);
    store.answer = () => undefined;
    await writer.write(b, 100);
    expect(state.stored).toEqual([a, b]);
  });

  test('waits no longer than it is told to, and stores the event all the same', async () => {
    const { writer, state, store } = openWriter();
    const late = Promise.withResolvers<void>();
    store.answer = () => late.promise;
    const written = writer.write(a, 300);
    await vi.advanceTimersByTimeAsync(300);
    await vi.advanceTimersToNextTimerAsync();
    await written;
    expect(state.lines).toMatchObject([['warn', 'audit.deferred', { auditEventId: a.id }]]);
    late.resolve();
    await vi.advanceTimersByTimeAsync(0);
    expect(state.stored).toEqual([a]);
  });

  test('logs and counts an unstorable event, and stores the others of its batch', async () => {
    const { writer, state, store, countLost } = openWriter();
    const first = Promise.withResolvers<void>();
    store.answer = async (events) => {
      await first.promise;
      if (events.includes(b)) throw new UnstorableError('too large');
    };
    const writes = [a, b, c].map((event) => writer.write(event, 100));
    first.resolve();
    await Promise.all(writes);
    expect(state.stored).toEqual([a, c]);
    expect(state.lines).toMatchObject([['error', 'audit.lost', { auditEvent: b }]]);
    expect(await countLost()).toBe(1);
  });

  test('loses the oldest when more than 10 000 wait, and logs each', async () => {
    const { writer, state, store, countLost } = openWriter();
    store.answer = () => new Promise(() => undefined);
    const events = Array.from({ length: 10_002 }, () => buildAuditEvent());
    for (const event of events) void writer.write(event, 60_000);
    expect(await countLost()).toBe(2);
    expect(state.lines).toMatchObject([
      ['error', 'audit.lost', { auditEvent: events[0] }],
      ['error', 'audit.lost', { auditEvent: events[1] }],
    ]);
  });

  test('writes once more when it closes, and logs what it could not store', async () => {
    const { writer, state, store, countLost } = openWriter();
    store.answer = fail;
    await writer.write(a, 100);
    store.answer = () => undefined;
    await writer.close();
    expect(state.stored).toEqual([a]);
    store.answer = fail;
    await writer.write(b, 100);
    await writer.close();
    expect(state.lines.at(-1)).toMatchObject(['error', 'audit.lost', { auditEvent: b }]);
    expect(await countLost()).toBe(1);
  });
});
