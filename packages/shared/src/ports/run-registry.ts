import type { LogPosition } from '../domain/log-position.ts';

/** A position together with the number of the run that began its epoch, so that positions of two epochs compare. */
export interface ComparablePosition extends LogPosition {
  readonly epochRun: number;
}

/**
 * Numbers the runs, and remembers the highest log position any run has written, outside the log itself: by this the
 * log's own loss of its tail is noticed. Durable (cluster: majority) before a promise resolves. Throws
 * `UnavailableError`.
 */
export interface RunRegistry {
  /** A number higher than every one handed out before. */
  startRun(): Promise<{ readonly run: number; readonly lastPosition: ComparablePosition | null }>;
  lastPosition(): Promise<ComparablePosition | null>;
  /**
   * Remembers `position` if what is remembered is exactly `over`, and tells whether it did. Whoever records has seen that
   * the log knows `over`; a position that somebody else recorded meanwhile is not written over, because it may be all
   * that tells of a loss.
   */
  recordPosition(position: ComparablePosition, over: ComparablePosition | null): Promise<boolean>;
}
