import { isSamePosition, type LogPosition, parsePosition } from './log-position.ts';

type GapReason = 'trimmed' | 'epoch-changed' | 'ahead-of-stream' | 'malformed';

/** What the log holds at one moment. */
export interface LogExtent {
  readonly epoch: string;
  /** The position right before the oldest kept event; equal to `last` while the log is empty. */
  readonly oldest: LogPosition;
  /** The position of the newest event there ever was in this epoch. */
  readonly last: LogPosition;
}

export interface StreamStart {
  /** The first event sent is the one after this position. */
  readonly position: LogPosition;
  /** True only if a position was asked for and nothing after it is missing. */
  readonly resumed: boolean;
  readonly gap: { readonly requested: string; readonly reason: GapReason } | null;
}

/**
 * Where a stream begins. Nothing asked for: at the end. `earliest`: with all that is kept. A position: right after it
 * if nothing is missing; otherwise with a gap that says why, and then from the oldest kept event (from the end where
 * the text is not a position at all).
 *
 * `contains` tells whether exactly the asked-for event is in the log.
 */
export function resolveStreamStart(requested: string | null, extent: LogExtent, contains: boolean): StreamStart {
  if (requested === null) return { position: extent.last, resumed: false, gap: null };
  if (requested === 'earliest') return { position: extent.oldest, resumed: true, gap: null };
  const position = parsePosition(requested);
  if (position === null) return { position: extent.last, resumed: false, gap: { requested, reason: 'malformed' } };
  const reason = findGapReason(position, extent, contains);
  if (reason === null) return { position, resumed: true, gap: null };
  return { position: extent.oldest, resumed: false, gap: { requested, reason } };
}

/** Whether exactly this position is known, and everything after it is there; the event itself may be gone. */
export function isCovered(position: LogPosition, extent: LogExtent, contains: boolean): boolean {
  return contains || isSamePosition(position, extent.last) || isSamePosition(position, extent.oldest);
}

function findGapReason(position: LogPosition, extent: LogExtent, contains: boolean): GapReason | null {
  if (position.epoch !== extent.epoch) return 'epoch-changed';
  if (isCovered(position, extent, contains)) return null;
  if (position.seq > extent.last.seq || position.ms > extent.last.ms) return 'ahead-of-stream';
  return 'trimmed';
}
