import type { LinkedPosition, LogPosition } from '../domain/log-position.ts';
import type { LogExtent } from '../domain/stream-start.ts';
import type { WidgetEvent } from '../domain/widget-event.ts';
import type { ComparablePosition } from './run-registry.ts';

/** What keeps an event from being appended twice, until it is settled. */
export type DedupeMark =
  /** Appended only if no event of this widget with this or a higher version was. */
  | { readonly kind: 'version'; readonly widgetId: string; readonly version: number }
  /** Appended only if no event with this id was. */
  | { readonly kind: 'event'; readonly eventId: string };

export interface LogAppend {
  readonly event: WidgetEvent;
  readonly mark: DedupeMark;
}

export interface AppendResult {
  /** Per given event: its position, or null when it was in the log already. */
  readonly positions: readonly (LogPosition | null)[];
  /** The log's end after the call. */
  readonly last: ComparablePosition;
  /** True when the log had lost its tail and was begun anew. */
  readonly startedNewEpoch: boolean;
}

export interface LogRecord extends LinkedPosition {
  readonly event: WidgetEvent;
}

/**
 * The ordered log of widget events that every pod reads. `seq` is dense within an epoch; the log never holds two
 * epochs. Throws `UnavailableError`.
 */
export interface EventLog {
  /**
   * Appends in the given order, all in one atomic call. `recorded` is the highest position ever recorded: when the log
   * does not know it and cannot have trimmed it, the log has lost its tail, is emptied, and begins a new epoch that is
   * numbered `run`. Drops, about, what exceeds the retained count, but nothing that came after `recorded`.
   *
   * A log whose guards expire refuses, with `UnavailableError`, a run than which a higher one came over ten minutes ago:
   * it may have slept since it read what it brings, and of that the guards may be gone.
   */
  append(run: number, recorded: ComparablePosition | null, events: readonly LogAppend[]): Promise<AppendResult>;
  /**
   * Lets guards expire an hour from now, if nothing higher was appended under them since: the caller knows that no run
   * above the number `run` will present these events again. From then on the log counts that run among those that came.
   */
  expireMarks(guards: readonly DedupeMark[], run: number): Promise<void>;
  /** What the log holds, and whether exactly `position` is in it; null before the first append ever. */
  inspect(position: LogPosition | null): Promise<{ readonly extent: LogExtent; readonly contains: boolean } | null>;
  /** The events right after `after`, oldest first, at most `limit`, of whatever epoch the log now has. */
  readAfter(after: LogPosition, limit: number): Promise<LogRecord[]>;
  /** The last `limit` events up to and with `position`, oldest first, of whatever epoch the log now has. */
  readUpTo(position: LogPosition, limit: number): Promise<LogRecord[]>;
  /** Opens a reader that waits for new events, on a connection of its own. */
  openTail(): EventTail;
  /**
   * Drops what retention no longer keeps: by count, age and bytes. Also needed while nothing is appended. Nothing that
   * came after `recorded`, the highest position ever recorded, is dropped, and nothing at all where the log does not know
   * it: so what was recorded and is older than all that the log holds was trimmed, and not lost.
   */
  trim(recorded: ComparablePosition | null): Promise<void>;
}

export interface EventTail {
  /**
   * Waits until something is after `after`, then returns it, oldest first, at most `limit`; returns nothing after about
   * two seconds. Rejects with `UnavailableError` when the log cannot be asked, or has not answered for five seconds.
   */
  next(after: LogPosition, limit: number): Promise<LogRecord[]>;
  close(): Promise<void>;
}

/** What the log keeps: whatever exceeds the first of the three limits goes, oldest first. */
export interface EventRetention {
  readonly count: number;
  readonly ageMs: number;
  readonly bytes: number;
}
