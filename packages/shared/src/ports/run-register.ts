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
  /** Moves the remembered position forwards, by (`epochRun`, `seq`); never backwards. */
  record(position: NumberedPosition): Promise<void>;
}
