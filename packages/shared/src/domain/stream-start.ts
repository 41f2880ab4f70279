import { isSamePosition, type LogPosition } from './log-position.ts';
import { parsePosition } from './sse-id.ts';

/** The values are part of the interface: clients see them in `stream.gap`. */
export const gapReasons = ['trimmed', 'epoch-changed', 'ahead-of-stream', 'malformed'] as const;
type GapReason = (typeof gapReasons)[number];

/** The range of positions that the log holds at one moment. */
export interface LogExtent {
  readonly epoch: string;
  /** The position right before the oldest kept event. Equal to `last` if the log holds no events. */
  readonly oldest: LogPosition;
  /** The position of the newest event of this epoch, even if it was trimmed. `seq` is 0 if the epoch has none yet. */
  readonly last: LogPosition;
}

export interface StreamStart {
  /** The stream sends the events after this position. */
  readonly position: LogPosition;
  /** True only if the client requested a position, or `earliest`, and no event after it is missing. */
  readonly resumed: boolean;
  readonly gap: { readonly requested: string; readonly reason: GapReason } | null;
}

/**
 * Decides where a stream begins.
 *
 * - Nothing requested (null): at the end of the log.
 * - `earliest`: at the oldest kept event.
 * - A position without missing events after it: right after it.
 * - Any other position: at the oldest kept event, with a gap and its reason.
 * - A text that is not a position: at the end of the log, with the gap `malformed`.
 *
 * `contains` says whether the log holds the event of exactly the requested position.
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

/**
 * Returns whether no event after this position is missing: the log has its event (`contains`), or it is the last one,
 * or the log was trimmed exactly up to it.
 */
export function isCovered(position: LogPosition, extent: LogExtent, contains: boolean): boolean {
  return contains || isSamePosition(position, extent.last) || isSamePosition(position, extent.oldest);
}

function findGapReason(position: LogPosition, extent: LogExtent, contains: boolean): GapReason | null {
  if (position.epoch !== extent.epoch) return 'epoch-changed';
  if (isCovered(position, extent, contains)) return null;
  if (position.seq > extent.last.seq || position.ms > extent.last.ms) return 'ahead-of-stream';
  // The event was trimmed. Or the log lost it and gave its number to another event (`LinkedPosition` in
  // log-position.ts).
  return 'trimmed';
}
