/**
 * A place in the event log, right after one event. With `seq` 0 it is the start of an epoch. Clients see it as an
 * opaque text (sse-id.ts), which is valid on every pod.
 *
 * Example: the log holds events [1, 2, 3] of epoch `a1`. A client has read up to 3, and 3 is the last recorded
 * position. Redis restarts with [1, 2] only. If the log went on with another event 3, the client would never see that
 * event. So the log drops events 1 and 2 and starts epoch `b2` at event 1. The client's position names `a1`: its stream
 * begins with a gap.
 */
export interface LogPosition {
  /** The random id of the epoch, `[0-9a-z]{1,32}`. A log that lost events starts a new epoch. */
  readonly epoch: string;
  /** The store's time of the append, in milliseconds since the Unix epoch. It never decreases within an epoch. */
  readonly ms: number;
  /** The number of the event in its epoch: 1, 2, 3, without holes. 0: before the epoch's first event. */
  readonly seq: number;
}

/** The position of an event, linked to the position before it. */
export interface LinkedPosition extends LogPosition {
  /**
   * The `ms` of the position right before the event. Null if unknown: then only `seq` is compared. Both backends always
   * store it.
   *
   * It reveals a loss that the log itself does not notice: if no run had recorded the lost events, the log gives their
   * numbers again. Example: event 3 of time 30 is lost, and another event 3 gets time 40. Event 4 then has `previousMs`
   * 40, so it does not continue a stream that is at event 3 of time 30.
   */
  readonly previousMs: number | null;
}

/** Returns whether both are the same position: in epoch, time and number. */
export function isSamePosition(a: LogPosition, b: LogPosition): boolean {
  return a.epoch === b.epoch && a.ms === b.ms && a.seq === b.seq;
}

/** Returns whether the event comes right after exactly this position. */
function isRightAfter(event: LinkedPosition, position: LogPosition): boolean {
  const isNext = event.epoch === position.epoch && event.seq === position.seq + 1;
  return isNext && (event.previousMs === null || event.previousMs === position.ms);
}

/** Returns whether the events, in this order, come right after exactly this position and have no holes. */
export function isContiguous(position: LogPosition, events: readonly LinkedPosition[]): boolean {
  return events.every((event, index) => isRightAfter(event, events[index - 1] ?? position));
}

/** Returns the events that come right after exactly this position and have no holes: those before the first hole. */
export function takeContiguous<E extends LinkedPosition>(position: LogPosition, events: readonly E[]): readonly E[] {
  const end = events.findIndex((event, index) => !isRightAfter(event, events[index - 1] ?? position));
  return end === -1 ? events : events.slice(0, end);
}

/** Returns the position right before an event. Without `previousMs` its `ms` is that of the event itself. */
export function positionBefore({ epoch, ms, seq, previousMs }: LinkedPosition): LogPosition {
  return { epoch, ms: previousMs ?? ms, seq: seq - 1 };
}
