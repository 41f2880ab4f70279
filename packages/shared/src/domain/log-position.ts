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

/** An event's position, and what came right before it. */
export interface LinkedPosition extends LogPosition {
  /**
   * The `ms` of the position that the event was appended after. A log that lost its newest events may give their numbers
   * again, at other times: number and time together tell which of them came before. Null where it was not noted.
   */
  readonly previousMs: number | null;
}

export function isSamePosition(a: LogPosition, b: LogPosition): boolean {
  return a.epoch === b.epoch && a.ms === b.ms && a.seq === b.seq;
}

/** Whether the event is the one right after exactly this position. */
function isRightAfter(event: LinkedPosition, position: LogPosition): boolean {
  const isNext = event.epoch === position.epoch && event.seq === position.seq + 1;
  return isNext && (event.previousMs === null || event.previousMs === position.ms);
}

/** Whether the events, in their order, are those right after exactly this position, without a hole. */
export function isContiguous(position: LogPosition, events: readonly LinkedPosition[]): boolean {
  return events.every((event, index) => isRightAfter(event, events[index - 1] ?? position));
}

/** The position right before an event. */
export function positionBefore({ epoch, ms, seq, previousMs }: LinkedPosition): LogPosition {
  return { epoch, ms: previousMs ?? ms, seq: seq - 1 };
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
