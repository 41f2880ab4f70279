import type { LinkedPosition, LogPosition } from '../domain/log-position.ts';
import type { LogExtent } from '../domain/stream-start.ts';
import type { WidgetEvent } from '../domain/widget-event.ts';
import type { ComparablePosition } from './run-registry.ts';

/**
 * Keeps an event from being appended twice. The log stores the mark together with the event, until `expireMarks`.
 *
 * Example of a watermark: a run appends versions 3 and 4 of a widget, and the watermark becomes 4. The run crashes. The
 * next run appends versions 3, 4 and 5: the log skips 3 and 4 and appends 5.
 */
export type DedupeMark =
  /** A widget's watermark: its highest version in the log. The log skips events with this or a lower version. */
  | { readonly kind: 'version'; readonly widgetId: string; readonly version: number }
  /** The mark of an event without a widget: the log skips another event with this id. */
  | { readonly kind: 'event'; readonly eventId: string };

export interface LogAppend {
  readonly event: WidgetEvent;
  readonly mark: DedupeMark;
}

export interface AppendResult {
  /** One per given event: its position, or null if it was already in the log. */
  readonly positions: readonly (LogPosition | null)[];
  /** The end of the log after the call. */
  readonly last: ComparablePosition;
  /** True if the log had lost its newest events, or all of them, and started a new epoch. */
  readonly startedNewEpoch: boolean;
}

/** An event in the log, with its position. */
export interface LogRecord extends LinkedPosition {
  readonly event: WidgetEvent;
}

/**
 * The ordered log of widget events that every pod reads. `seq` has no holes within an epoch. The log never holds events
 * of two epochs (see log-position.ts for an example of an epoch). Methods throw `UnavailableError`: it is unknown
 * whether the call took place. Repeating it is safe.
 *
 * Loss detection applies to a log that is kept apart from the run registry (cluster). A log in the same database as the
 * registry (embedded) cannot lose events that the registry has: it ignores `lastRecorded` and never starts a new epoch.
 */
export interface EventLog {
  /**
   * Appends the events in the given order, atomically, and skips those that their marks exclude. It also drops the
   * oldest events beyond the retained count, approximately, but nothing after `lastRecorded`.
   *
   * `lastRecorded` is the last recorded position (`RunRegistry.lastPosition`). If the log does not have it and cannot
   * have trimmed it, the log has lost events. It then drops all events and starts a new epoch with `epochRun` `run`.
   * Only a run above the `epochRun` of the last epoch may start one; another gets `UnavailableError`.
   *
   * Rejects a stale run with `UnavailableError`: the marks of its events may have expired. A run becomes stale between
   * one and two times `runLimits.maxAgeMs` (10 to 20 minutes) after the first higher-numbered run arrived. A log whose
   * watermarks never expire (embedded) accepts it.
   */
  append(run: number, lastRecorded: ComparablePosition | null, events: readonly LogAppend[]): Promise<AppendResult>;
  /**
   * Lets marks expire in one hour (`runLimits.markLifetimeMs`), except a watermark that a later append has raised.
   * `run` is a number that was taken after the events had left the outboxes: every run that may still append them has a
   * lower one. The log treats it as arrived, so that lower runs are rejected before the marks expire.
   */
  expireMarks(marks: readonly DedupeMark[], run: number): Promise<void>;
  /**
   * Returns what the log holds, and whether it holds the event of exactly `position`. Null before the first append, and
   * after the store was wiped.
   */
  inspect(position: LogPosition | null): Promise<{ readonly extent: LogExtent; readonly contains: boolean } | null>;
  /**
   * Returns the events right after `after`, oldest first, at most `limit`. They may be of another epoch than `after`.
   * Ends before a damaged event. Throws `UnreadableRowError` if that is the first.
   */
  readAfter(after: LogPosition, limit: number): Promise<LogRecord[]>;
  /**
   * Returns the last `limit` events up to and including `position`, oldest first. They may be of another epoch than
   * `position`. Begins after the last damaged event.
   */
  readUpTo(position: LogPosition, limit: number): Promise<LogRecord[]>;
  /** Opens a reader that waits for new events, with its own connection. */
  openTail(): EventTail;
  /**
   * Drops events that exceed the retention's count, age or bytes. Needed even if no run appends, because events age.
   *
   * Drops nothing after `lastRecorded`, and nothing at all if that is null, of another epoch, or lost. So a recorded
   * position that is older than every event in the log was trimmed, not lost.
   */
  trim(lastRecorded: ComparablePosition | null): Promise<void>;
}

export interface EventTail {
  /**
   * Waits for events after `after` and returns them, oldest first, at most `limit`. Returns none if none arrives within
   * about two seconds. Ends before a damaged event, and rejects with `UnreadableRowError` if that is the first. Rejects
   * with `UnavailableError` if the log is unavailable or does not answer within five seconds.
   */
  next(after: LogPosition, limit: number): Promise<LogRecord[]>;
  close(): Promise<void>;
}

/** The log drops its oldest events until it is within all three limits. */
export interface EventRetention {
  readonly count: number;
  readonly ageMs: number;
  readonly bytes: number;
}

/** Few events take less than this in Redis or SQLite. */
const bytesPerEvent = 1_024;
/** A client that was away for longer reloads the list of widgets. Fixed, because only the bytes cost memory. */
const retentionMs = 86_400_000;

/** Returns the retention of a log with at most this many bytes. */
export function toEventRetention(bytes: number): EventRetention {
  return { count: Math.floor(bytes / bytesPerEvent), ageMs: retentionMs, bytes };
}
