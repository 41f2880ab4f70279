import { isSamePosition, type LogPosition } from '../../domain/log-position.ts';
import { parsePosition } from '../../domain/sse-id.ts';
import { resolveStreamStart, type StreamStart } from '../../domain/stream-start.ts';
import type { EventLog } from '../../ports/event-log.ts';

export interface FindStreamStartDeps {
  readonly eventLog: Pick<EventLog, 'inspect'>;
  /** The pod's ring. */
  readonly recent: {
    /** Returns the pod's position in the event log; null before its first read. */
    position(): LogPosition | null;
    /** Returns whether the event at exactly this position is in memory. */
    contains(position: LogPosition): boolean;
  };
}

/** Where a stream starts, or why it cannot start now. */
export type StreamStartOutcome =
  | { readonly status: 'found'; readonly start: StreamStart }
  /** The pod has not read the event log yet. */
  | { readonly status: 'no-position' }
  /** The event log no longer exists. The pod starts an epoch in it at its next read. */
  | { readonly status: 'no-log' };

/**
 * Makes the function that finds where a stream starts: see `resolveStreamStart`.
 *
 * It finds a position among the newest events in memory, so a crowd of clients causes no query of the event log. For
 * `earliest` and for other positions it queries the log, and throws `UnavailableError` when the log does not answer.
 */
export function makeFindStreamStart({ eventLog, recent }: FindStreamStartDeps) {
  const found = (start: StreamStart): StreamStartOutcome => ({ status: 'found', start });
  return async (requested: string | null): Promise<StreamStartOutcome> => {
    const end = recent.position();
    if (end === null) return { status: 'no-position' };
    if (requested === null) return found({ position: end, resumed: false, gap: null });
    const position = parsePosition(requested);
    if (position !== null && (recent.contains(position) || isSamePosition(position, end))) {
      return found({ position, resumed: true, gap: null });
    }
    if (position === null && requested !== 'earliest') {
      return found({ position: end, resumed: false, gap: { requested, reason: 'malformed' } });
    }
    const inspection = await eventLog.inspect(position);
    if (inspection === null) return { status: 'no-log' };
    return found(resolveStreamStart(requested, inspection.extent, inspection.contains));
  };
}
