import type { FilterableEvent } from '@widget-service/shared/domain/event-filter.ts';
import type { LogPosition } from '@widget-service/shared/domain/log-position.ts';
import { formatPosition } from '@widget-service/shared/domain/sse-id.ts';
import type { StreamStart } from '@widget-service/shared/domain/stream-start.ts';
import type { LogRecord } from '@widget-service/shared/ports/event-log.ts';
import { escapeCharacter } from '@widget-service/shared/runtime/printable-text.ts';

/** One event as SSE bytes, with the members that filters examine. The pod makes it once for all its streams. */
export interface Frame extends FilterableEvent {
  readonly ms: number;
  readonly seq: number;
  /** The `ms` of the predecessor; null if the log did not store it. */
  readonly previousMs: number | null;
  readonly bytes: Buffer;
}

/**
 * Serialises an event of the log as one server-sent event (WHATWG HTML, section 9.2). The event's JSON must contain no
 * line break.
 */
export function toFrame(record: LogRecord): Frame {
  const { type, widgetId, state, stateBefore, labels, json } = record.event;
  const text = `id: ${formatPosition(record)}\nevent: ${type}\ndata: ${escapeLineSeparators(json)}\n\n`;
  const { ms, seq, previousMs } = record;
  return { ms, seq, previousMs, bytes: Buffer.from(text), type, widgetId, state, stateBefore, labels };
}

/**
 * Characters at which some clients (Python's `str.splitlines`) end a line, although the SSE format does not. JSON may
 * hold them inside strings. The other such characters, U+000B, U+000C and U+001C to U+001E, are always escaped in JSON.
 */
const lineSeparators = ['\u0085', '\u2028', '\u2029'];

/** Escapes the line separators: the JSON value stays the same. Few events have one, and `includes` is fast. */
function escapeLineSeparators(json: string): string {
  return lineSeparators.reduce(
    (text, separator) => (text.includes(separator) ? text.replaceAll(separator, escapeCharacter) : text),
    json,
  );
}

/** Some proxies hold back the first KiB of a response. This comment of 2 KiB pushes the first events through. */
const padding = ' '.repeat(2048);

/** The content of the opening messages. */
export interface OpeningOptions {
  /** Null for the personal stream of a user. */
  readonly subscriptionId: string | null;
  readonly start: StreamStart;
  readonly heartbeatIntervalMs: number;
  /** How long the client waits before it reconnects, in milliseconds. */
  readonly retryMs: number;
}

/** The first messages of a stream: `stream.gap` if events are missing, then always `stream.open`. */
export function openingBytes({ subscriptionId, start, heartbeatIntervalMs, retryMs }: OpeningOptions): Buffer {
  const cursor = formatPosition(start.position);
  const open = { subscriptionId, cursor, resumed: start.resumed, heartbeatSeconds: heartbeatIntervalMs / 1000 };
  return Buffer.from(
    `${start.gap === null ? '' : gapText(start.gap, cursor)}id: ${cursor}\nevent: stream.open\n` +
      `data: ${JSON.stringify(open)}\nretry: ${retryMs}\n:${padding}\n\n`,
  );
}

function gapText({ requested, reason }: NonNullable<StreamStart['gap']>, cursor: string): string {
  return `id: ${cursor}\nevent: stream.gap\ndata: ${escapeLineSeparators(JSON.stringify({ requested, resumedFrom: cursor, reason }))}\n\n`;
}

/**
 * The bytes of `stream.position`: it moves a client's position past events that its filter dropped.
 *
 * It has a name and data because some clients ignore a block that holds only an `id`.
 */
export function positionBytes(position: LogPosition): Buffer {
  return Buffer.from(`id: ${formatPosition(position)}\nevent: stream.position\ndata: {}\n\n`);
}

/** A random whole number from `min` to `max`, both included. */
export function randomWithin(min: number, max: number): number {
  return min + Math.floor(Math.random() * (max - min + 1));
}
