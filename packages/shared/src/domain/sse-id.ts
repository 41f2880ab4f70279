import type { LogPosition } from './log-position.ts';

const pattern = /^([0-9a-z]{1,32})\.(0|[1-9]\d{0,15})\.(0|[1-9]\d{0,15})$/;

/**
 * Returns the `id:` of a message of a stream: the text of a position, `<epoch>.<ms>.<seq>`. For clients it is opaque.
 * They send it back as `Last-Event-ID`. Other responses show it as `position`, `cursor` or `streamCursor`.
 * `parsePosition` returns an equal position.
 *
 * Example: `k3f9.1764000000000.1284` is event 1284 of epoch `k3f9`, appended at that time in milliseconds.
 */
export function formatPosition(position: LogPosition): string {
  return `${position.epoch}.${position.ms}.${position.seq}`;
}

/** Parses the text of a position. Returns null for any other text. Does not check whether the log holds the event. */
export function parsePosition(text: string): LogPosition | null {
  const match = pattern.exec(text);
  if (match === null) return null;
  const [, epoch = '', ms, seq] = match;
  const position = { epoch, ms: Number(ms), seq: Number(seq) };
  return Number.isSafeInteger(position.ms) && Number.isSafeInteger(position.seq) ? position : null;
}
