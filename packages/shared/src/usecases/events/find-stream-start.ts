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

/**
 * Makes the function that finds where a stream starts: see `resolveStreamStart`. It returns null if the pod has not
 * read the event log yet, or if the log no longer exists: then the pod starts an epoch in it at its next read.
 *
 * It finds a position among the newest events in memory, so a crowd of clients causes no query of the event log. For
 * `earliest` and for other positions it queries the log, and throws `UnavailableError` when the log does not answer.
 */
export function makeFindStreamStart({ eventLog, recent }: FindStreamStartDeps) {
  return async (requested: string | null): Promise<StreamStart | null> => {
    const end = recent.position();
    if (end === null) return null;
    if (requested === null) return { position: end, resumed: false, gap: null };
    const position = parsePosition(requested);
    if (position !== null && (recent.contains(position) || isSamePosition(position, end))) {
      return { position, resumed: true, gap: null };
    }
    if (position === null && requested !== 'earliest') {
      return { position: end, resumed: false, gap: { requested, reason: 'malformed' } };
    }
    const inspection = await eventLog.inspect(position);
    return inspection && resolveStreamStart(requested, inspection.extent, inspection.contains);
  };
}
