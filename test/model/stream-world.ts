import { resolveStreamStart } from '@widget-service/shared/domain/stream-start.ts';

/** The event log and what a pod knows of it, as the model of delivery has them. */

/** What can be left out on purpose, to see that it is missed. */
export type Rule =
  | 'the tail reads from where it stands'
  | 'the tail checks numbers and epoch'
  | 'a page checks numbers and epoch'
  | 'an empty read is verified'
  | 'a position is checked'
  | 'a new epoch has another word'
  | 'a resync ends the streams'
  | 'a stream of another epoch does not join'
  | 'a stream beyond the end is ended'
  | 'an event tells what it came after';

/** How much a reader is given at once. */
export const pageSize = 2;

/** A position names one event, also when the log has lost it and gave its number to another: each has its own `ms`. */
export interface Place {
  readonly epoch: number;
  readonly seq: number;
  readonly ms: number;
}

/** An event, and the `ms` of the one it was appended after: what tells a hole from the truth. */
export interface Told extends Place {
  readonly afterMs: number;
}

export interface Log {
  /** Null once it was wiped, until somebody begins it anew. */
  readonly epoch: number | null;
  readonly last: Place;
  readonly events: readonly Told[];
  /** Whether it has lost something whose position was recorded elsewhere: then the next append begins a new epoch. */
  readonly isLossKnown: boolean;
}

export interface Tail {
  /** `begin`: has to find the log's end. Then by turns: `read` and `take` what was read; `verify` and `judge`. */
  readonly step: 'begin' | 'reach' | 'read' | 'take' | 'verify' | 'judge';
  readonly position: Place | null;
  readonly ring: readonly Told[];
  /** What the log has answered, and is still to be acted upon. */
  readonly found: Place | null;
  readonly read: readonly Told[];
  readonly isLost: boolean;
  /** Where a stream stands that is further than the log's end. */
  readonly beyond: Place | null;
}

export interface Client {
  readonly step: 'away' | 'asking' | 'answered' | 'live' | 'replaying' | 'paging';
  /** What it was told last; null before its first connection. */
  readonly told: Place | null;
  /** Where its connection stands. */
  readonly start: Place | null;
  readonly isGap: boolean;
  readonly page: readonly Told[];
}

export interface State {
  readonly log: Log;
  readonly tail: Tail;
  readonly client: Client;
  readonly clock: number;
  readonly epochs: number;
  readonly appendsLeft: number;
  readonly trimsLeft: number;
  readonly lossesLeft: number;
  readonly opensLeft: number;
  /** Whether the log loses nothing in this world. */
  readonly isWhole: boolean;
  /** What was broken, in words. */
  readonly broken: string | null;
}

export const isSame = (a: Place | null, b: Place | null) =>
  a?.epoch === b?.epoch && a?.seq === b?.seq && a?.ms === b?.ms;

/** Events whose ids come after the position's, whatever epoch that is of: so does Redis read. */
export function readAfter({ events }: Log, { ms, seq }: Place): readonly Told[] {
  return events.filter((event) => event.ms > ms || (event.ms === ms && event.seq > seq));
}

/** Where a stream that asks for `place` begins, by the real rules. */
export function startAt(log: Log, place: Place) {
  const word = (each: Place) => ({ ...each, epoch: `e${each.epoch}` });
  const [first] = log.events;
  const oldest = first === undefined ? log.last : { epoch: first.epoch, ms: first.afterMs, seq: first.seq - 1 };
  const extent = { epoch: `e${log.epoch}`, oldest: word(oldest), last: word(log.last) };
  const contains = log.events.some((event) => isSame(event, place));
  const { gap } = resolveStreamStart(`e${place.epoch}.${place.ms}.${place.seq}`, extent, contains);
  return gap === null ? { start: place, isGap: false } : { start: oldest, isGap: true };
}

export function begunAnew(log: Log, epoch: number, ms: number): Log {
  return { epoch, last: { epoch, seq: 0, ms }, events: [], isLossKnown: log.isLossKnown && log.epoch === null };
}

/** Whether the events come right after the place, without a hole. */
export function continues(from: Place, events: readonly Told[], broken: readonly Rule[]): boolean {
  return events.every((event, index) => comesAfter(event, events[index - 1] ?? from, broken));
}

export function comesAfter(event: Told, place: Place, broken: readonly Rule[]): boolean {
  const isNext = event.epoch === place.epoch && event.seq === place.seq + 1;
  return isNext && (event.afterMs === place.ms || broken.includes('an event tells what it came after'));
}

export function reaches({ position, ring }: Tail, { seq }: Place): boolean {
  return position !== null && (seq >= position.seq || ring.some((event) => event.seq === seq + 1));
}

export function ended(client: Client): Client {
  return client.step === 'live' || client.step === 'replaying' || client.step === 'paging' ? gone(client) : client;
}

export function gone({ told }: Pick<Client, 'told'>): Client {
  return { step: 'away', told, start: null, isGap: false, page: [] };
}

export function placeOf({ epoch, seq, ms }: Place): Place {
  return { epoch, seq, ms };
}
