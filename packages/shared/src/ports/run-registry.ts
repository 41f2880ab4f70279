import type { LogPosition } from '../domain/log-position.ts';

/**
 * A position with the number of the run that started its epoch. Of two epochs, the one that a higher run started is the
 * later one.
 */
export interface ComparablePosition extends LogPosition {
  readonly epochRun: number;
}

/**
 * Numbers the runs, and stores the last recorded position outside the log. That position reveals that the log lost
 * events.
 *
 * Example: a run appends event 3 to the log in Redis and records position 3 in MongoDB. Redis restarts without event 3.
 * The next append compares: MongoDB has 3, the log ends at 2, so event 3 is lost and the log starts a new epoch.
 *
 * A write is durable (cluster: on a majority) before its promise resolves. Methods throw `UnavailableError`.
 */
export interface RunRegistry {
  /** Returns a run number that is higher than all numbers returned before, and the last recorded position. */
  startRun(): Promise<{ readonly run: number; readonly lastPosition: ComparablePosition | null }>;
  /** Returns the last recorded position, or null if no run has recorded one. */
  lastPosition(): Promise<ComparablePosition | null>;
  /**
   * Replaces the last recorded position with `position` if it is exactly `expected`, and returns whether it did. The
   * caller has compared the log with `expected`. The call never replaces a position that another run has recorded
   * meanwhile: that position may be the only evidence of a loss.
   */
  recordPosition(position: ComparablePosition, expected: ComparablePosition | null): Promise<boolean>;
}
