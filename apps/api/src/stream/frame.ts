import type { FilterableEvent } from '@widget-service/shared/domain/event-filter.ts';
import { formatPosition, type LogPosition } from '@widget-service/shared/domain/log-position.ts';
import type { StreamStart } from '@widget-service/shared/domain/stream-start.ts';
import type { LogRecord } from '@widget-service/shared/ports/event-log.ts';

/** One event as the bytes every subscriber gets, made once per pod, and what filters look at. */
export interface Frame extends FilterableEvent {
  readonly ms: number;
  readonly seq: number;
  /** The `ms` of the event before; null where it is not known. */
  readonly previousMs: number | null;
  readonly bytes: Buffer;
}

/** Frames the event after the rules of server-sent events (WHATWG HTML, section 9.2); its JSON is on one line. */
export function toFrame(record: LogRecord): Frame {
  const { type, widgetId, state, stateBefore, labels, json } = record.event;
  const text = `id: ${formatPosition(record)}\nevent: ${type}\ndata: ${json}\n\n`;
  const { ms, seq, previousMs } = record;
  return { ms, seq, previousMs, bytes: Buffer.from(text), type, widgetId, state, stateBefore, labels };
}

/** What a stream tells about itself, in the members that the SSE plugin takes. */
export interface StreamMessage {
  readonly id?: string;
  readonly event?: string;
  readonly data?: string;
  /** Milliseconds a client waits before it reconnects. */
  readonly retry?: number;
  readonly comment?: string;
}

/** Some proxies hold back a response's first KiB: this much comment pushes the first events through. */
const padding = ' '.repeat(2048);

export interface OpeningOptions {
  readonly subscriptionId: string | null;
  readonly start: StreamStart;
  readonly heartbeatIntervalMs: number;
  readonly retryMs: number;
}

/** The first messages of a stream: the gap if there is one, always before `stream.open`. */
export function openingMessages({
  subscriptionId,
  start,
  heartbeatIntervalMs,
  retryMs,
}: OpeningOptions): StreamMessage[] {
  const cursor = formatPosition(start.position);
  const open = { subscriptionId, cursor, resumed: start.resumed, heartbeatSeconds: heartbeatIntervalMs / 1000 };
  const opening = { id: cursor, event: 'stream.open', data: JSON.stringify(open), retry: retryMs, comment: padding };
  if (start.gap === null) return [opening];
  const gap = { requested: start.gap.requested, resumedFrom: cursor, reason: start.gap.reason };
  return [{ id: cursor, event: 'stream.gap', data: JSON.stringify(gap) }, opening];
}

export type ClosingReason =
  | 'lifetime'
  | 'draining'
  | 'slow'
  | 'overloaded'
  | 'too-many-connections'
  | 'unavailable'
  | 'resync'
  | 'revoked'
  | 'expired';

/**
 * How long clients wait before they come back, in milliseconds: the less a quick return would help, the longer. Whose
 * right has ended comes back to a 404, and may as well know soon.
 */
const retryRangeMs: Record<ClosingReason, readonly [number, number]> = {
  lifetime: [1_000, 5_000],
  draining: [1_000, 5_000],
  resync: [1_000, 5_000],
  slow: [1_000, 5_000],
  revoked: [1_000, 5_000],
  expired: [1_000, 5_000],
  unavailable: [5_000, 15_000],
  overloaded: [30_000, 90_000],
  'too-many-connections': [30_000, 90_000],
};

/** The last message of a stream. It has no id, so that the client's position stays where it is. */
export function closingMessage(reason: ClosingReason): StreamMessage {
  return { event: 'stream.closing', data: JSON.stringify({ reason }), retry: randomWithin(...retryRangeMs[reason]) };
}

/** The same, as bytes for a connection that the plugin no longer writes to. */
export function closingBytes(reason: ClosingReason): Buffer {
  const { event, data, retry } = closingMessage(reason);
  return Buffer.from(`event: ${event}\ndata: ${data}\nretry: ${retry}\n\n`);
}

export const heartbeatBytes = Buffer.from(':\n\n');

/**
 * Moves a client's position over what its filter has dropped. It has a name and data because some clients pass over a
 * block that holds nothing but an id, and over the id with it.
 */
export function positionBytes(position: LogPosition): Buffer {
  return Buffer.from(`id: ${formatPosition(position)}\nevent: stream.position\ndata: {}\n\n`);
}

/** A whole number between the two, both possible. */
export function randomWithin(min: number, max: number): number {
  return min + Math.floor(Math.random() * (max - min + 1));
}
