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

/**
 * How old a run may be when it appends, and how long the event log keeps a dedupe mark that expires. Marks must live
 * much longer than runs, or an event could be appended twice.
 *
 * A run checks its own age before it appends. If it freezes after that check, the cluster's event log rejects it
 * between one and two times `maxAgeMs` after a higher run arrived. The embedded log rejects no run by its age: there,
 * watermarks never expire.
 *
 * Example: run 41 reads version 4 from an outbox at 12:00, checks its age, and freezes just before its append. Run 42
 * appends version 4 at 12:01 and removes it from the outbox. Its worker lets the watermark expire at 13:01. Run 41 can
 * append until 12:21 at the latest, and the watermark skips its version 4. If watermarks expired after five minutes,
 * run 41 could append version 4 again at 12:08.
 */
export const runLimits: Readonly<Record<'maxAgeMs' | 'markLifetimeMs', number>> = {
  /** The run checks its age before its append. If it is older than this, it appends nothing. */
  maxAgeMs: 10 * 60_000,
  /**
   * How long the event log keeps a dedupe mark after `EventLog.expireMarks`. The embedded log keeps the watermarks of
   * widgets for ever.
   */
  markLifetimeMs: 3_600_000,
};

/** Throws an `Error` unless a dedupe mark lives at least twice as long as a run may be old. */
export function assertRunLimits({ maxAgeMs, markLifetimeMs }: typeof runLimits): void {
  if (markLifetimeMs >= 2 * maxAgeMs) return;
  throw new Error(
    `run limits: markLifetimeMs is ${markLifetimeMs}, but must be at least twice maxAgeMs (${maxAgeMs}); ` +
      'otherwise an old run can append an event twice',
  );
}

assertRunLimits(runLimits);
