import { isSamePosition, type LogPosition, parsePosition } from '../../domain/log-position.ts';
import { resolveStreamStart, type StreamStart } from '../../domain/stream-start.ts';
import type { EventLog } from '../../ports/event-log.ts';

export interface OpenStreamDeps {
  readonly eventLog: Pick<EventLog, 'inspect'>;
  /** What this pod itself knows of the log's end. */
  readonly recent: {
    /** How far the pod has read; null before it has reached the log. */
    position(): LogPosition | null;
    /** Whether exactly this event is among the newest, which the pod keeps in memory. */
    contains(position: LogPosition): boolean;
  };
}

/**
 * Decides where a stream begins. Null when the pod knows no position yet. A position among the newest events is
 * answered from memory, so that a crowd that reconnects does not reach the log. Throws `UnavailableError` when the log
 * must be asked and cannot be.
 */
export function makeOpenStream({ eventLog, recent }: OpenStreamDeps) {
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
    const known = await eventLog.inspect(position);
    if (known === null) return null;
    return resolveStreamStart(requested, known.extent, known.contains);
  };
}
