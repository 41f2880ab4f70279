/**
 * A place in the event log, right after one event. Clients see it as the opaque text `<epoch>.<ms>.<seq>`, valid on
 * every pod.
 */
export interface LogPosition {
  /** The word of the epoch, `[0-9a-z]+`: another one means that the log was begun anew. */
  readonly epoch: string;
  /** The store's clock when the event was appended, in milliseconds since the Unix epoch. Never falls. */
  readonly ms: number;
  /** The number of the event: dense, rising by one. */
  readonly seq: number;
}

const pattern = /^([0-9a-z]{1,32})\.(0|[1-9]\d{0,15})\.(0|[1-9]\d{0,15})$/;

export function formatPosition(position: LogPosition): string {
  return `${position.epoch}.${position.ms}.${position.seq}`;
}

/** Null when the text is not a position; whether the log still holds it is another question. */
export function parsePosition(text: string): LogPosition | null {
  const match = pattern.exec(text);
  if (match === null) return null;
  const [, epoch = '', ms, seq] = match;
  const position = { epoch, ms: Number(ms), seq: Number(seq) };
  return Number.isSafeInteger(position.ms) && Number.isSafeInteger(position.seq) ? position : null;
}
