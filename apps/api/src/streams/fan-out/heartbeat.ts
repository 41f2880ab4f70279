import { Chunk } from './chunk.ts';
import { announcePosition, type Connection, hasUnannouncedPosition, jittered } from './connection.ts';
import type { Feed } from './feed.ts';

/**
 * An empty comment: keeps an idle stream open and dispatches no event. No blank line follows, because several client
 * libraries report an empty message for each blank line.
 */
const heartbeat = new Chunk(Buffer.from(':\n'));

/**
 * The longest interval of a filtered stream, which announces its position in place of a heartbeat if its filter has
 * dropped events. With the jitter of 20 % it is below a minute. So such a position is announced within a minute, or an
 * interval later if bytes are unsent when it is due.
 */
const maxFilteredIntervalMs = 45_000;

/** The time to the next heartbeat, in milliseconds, with a jitter of ± 20 %. */
export function nextHeartbeatDelayMs({ passes }: Feed, heartbeatIntervalMs: number): number {
  return jittered(passes === null ? heartbeatIntervalMs : Math.min(heartbeatIntervalMs, maxFilteredIntervalMs));
}

/**
 * Sends a heartbeat if it is due at `nowMs` on the monotonic clock. If the filter has dropped events since the last
 * position, it sends a `stream.position` instead. It sends nothing while bytes are unsent: the client gets data anyway.
 */
export function sendHeartbeatIfDue(connection: Connection, nowMs: number, heartbeatIntervalMs: number): void {
  if (nowMs < connection.heartbeatAtMs) return;
  connection.heartbeatAtMs = nowMs + nextHeartbeatDelayMs(connection.feed, heartbeatIntervalMs);
  if (connection.sink.unsentBytes() > 0) return;
  if (hasUnannouncedPosition(connection)) announcePosition(connection);
  else connection.sink.write(heartbeat);
}
