import { UnreadableRowError } from '../../domain/errors.ts';
import { isContiguous, isSamePosition, type LogPosition } from '../../domain/log-position.ts';
import { parsePosition } from '../../domain/sse-id.ts';
import { resolveStreamStart, type StreamStart } from '../../domain/stream-start.ts';
import type { EventLog } from '../../ports/event-log.ts';

/** The newest events in memory: the pod's ring. */
interface RecentEvents {
  /** Returns the pod's position in the event log; null before its first read. */
  position(): LogPosition | null;
  /** Returns where the events in memory begin; null before the first read. */
  start(): LogPosition | null;
  /** Returns whether the event at exactly this position is in memory. */
  contains(position: LogPosition): boolean;
}

/**
 * Finds where a stream starts for a requested position (`Last-Event-ID`): see `resolveStreamStart`. Returns null if the
 * pod has not read the event log yet, or if the log was deleted; the pod's next read creates it anew.
 *
 * A position among the newest events in memory needs no query, so a crowd of clients causes no load on the log. Other
 * positions, and `earliest`, query the log. If the log does not continue there, the stream starts with a gap at the
 * oldest event in memory. Throws `UnavailableError` if the log does not answer.
 */
export async function findStreamStart(
  eventLog: Pick<EventLog, 'inspect' | 'readAfter'>,
  recent: RecentEvents,
  requested: string | null,
): Promise<StreamStart | null> {
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
  // Tries twice, because the log may change between the two reads of one attempt, for example to a new epoch.
  for (let attempt = 1; attempt <= 2; attempt += 1) {
    const inspection = await eventLog.inspect(position);
    const start = inspection && resolveStreamStart(requested, inspection.extent, inspection.contains);
    if (start === null || start.gap !== null || (await hasNext(eventLog, start.position))) return start;
  }
  return { position: recent.start() ?? end, resumed: false, gap: { requested, reason: 'trimmed' } };
}

/** False if somebody has removed or damaged the next event by hand: every resumed stream would end there. */
async function hasNext(eventLog: Pick<EventLog, 'readAfter'>, position: LogPosition): Promise<boolean> {
  try {
    return isContiguous(position, await eventLog.readAfter(position, 1));
  } catch (error) {
    if (error instanceof UnreadableRowError) return false;
    throw error;
  }
}
