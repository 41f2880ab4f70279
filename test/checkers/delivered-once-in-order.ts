import { expect } from 'vitest';
import type { SentHook } from '../drivers/cluster/hook-sender.ts';
import type { StreamEvent } from '../drivers/streams/stream-client.ts';

interface CloudEvent {
  readonly id: string;
  readonly subject?: string;
  readonly data: { readonly origin: string; readonly widget: { readonly version: number } | null };
}

/** Each received event is parsed once, however many checks read it. */
const parsedEvents = new WeakMap<object, CloudEvent>();

function parseEvent(event: StreamEvent): CloudEvent {
  const parsed = parsedEvents.get(event) ?? (JSON.parse(event.data) as CloudEvent);
  parsedEvents.set(event, parsed);
  return parsed;
}

/**
 * Each hook that was answered 202 has exactly one event among `events`. There are at most as many further events as
 * hooks that were not answered 202.
 */
export function expectEachHookOnce(sent: readonly SentHook[], events: readonly StreamEvent[]): void {
  const counts = new Map<string, number>();
  for (const event of events) {
    const { id, data } = parseEvent(event);
    if (data.origin === 'hook') counts.set(id, (counts.get(id) ?? 0) + 1);
  }
  const repeated = [...counts].filter(([, count]) => count > 1);
  expect(repeated, 'events that came more than once').toEqual([]);
  const accepted = new Set(
    sent.flatMap((hook) => (hook.status === 202 && hook.eventId !== null ? [hook.eventId] : [])),
  );
  const lost = [...accepted].filter((id) => !counts.has(id));
  expect(lost, 'hooks answered 202 without an event').toEqual([]);
  const notAccepted = sent.filter((hook) => hook.status !== 202).length;
  expect(counts.size).toBeLessThanOrEqual(accepted.size + notAccepted);
}

/** Per widget, `version` rises by exactly one. Over the whole stream, the position's `seq` rises by exactly one. */
export function expectDenseOrder(events: readonly StreamEvent[]): void {
  const versions = new Map<string, number>();
  let lastSeq: number | null = null;
  for (const event of events) {
    const { subject = '', data } = parseEvent(event);
    const seq = Number(event.id.split('.')[2]);
    if (lastSeq !== null) expect(seq).toBe(lastSeq + 1);
    lastSeq = seq;
    if (data.widget === null) continue;
    const before = versions.get(subject);
    if (before !== undefined) expect(data.widget.version).toBe(before + 1);
    versions.set(subject, data.widget.version);
  }
}
