import type { LogPosition } from '../domain/cursor.ts';

/** A position together with the number of the run that began its epoch, so that positions of two epochs compare. */
export interface NumberedPosition extends LogPosition {
  readonly epochRun: number;
}

/**
 * Numbers the runs, and remembers the highest log position any run has written, outside the log itself: by this the
 * log's own loss of its tail is noticed. Durable (cluster: majority) before a promise resolves. Throws
 * `UnavailableError`.
 */
export interface RunRegister {
  /** A number higher than every one handed out before. */
  next(): Promise<{ readonly run: number; readonly lastPosition: NumberedPosition | null }>;
  lastPosition(): Promise<NumberedPosition | null>;
  /**
   * Remembers `position` if what is remembered is exactly `over`, and tells whether it did. Whoever records has seen that
   * the log knows `over`; a position that somebody else recorded meanwhile is not written over, because it may be all
   * that tells of a loss.
   */
  record(position: NumberedPosition, over: NumberedPosition | null): Promise<boolean>;
}
