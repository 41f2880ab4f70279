import type { Clock } from '@widget-service/shared/runtime/clock.ts';
import { Chunk } from './chunk.ts';
import { announcePosition, type Connection, hasUnannouncedPosition, nextHeartbeatDelayMs } from './connection.ts';
import { type ClosingReason, heartbeatBytes } from './frame.ts';

export interface SweepOptions {
  readonly heartbeatIntervalMs: number;
  readonly stallMs: number;
}

export interface SweepDeps {
  readonly clock: Pick<Clock, 'now' | 'monotonicMs'>;
  readonly options: SweepOptions;
  readonly end: (connection: Connection, reason: ClosingReason) => void;
}

/** How often to sweep, in milliseconds: often enough for the heartbeats, and at least once a second. */
export function sweepIntervalMs({ heartbeatIntervalMs }: SweepOptions): number {
  return Math.min(1_000, Math.max(50, heartbeatIntervalMs / 4));
}

/** Looks after the open connections: heartbeats, lifetimes, rights that run out, clients that take nothing. */
export function makeSweep({ clock, options, end }: SweepDeps) {
  return (connections: Iterable<Connection>): void => {
    const times = { nowMs: clock.monotonicMs(), wallMs: clock.now().getTime() };
    const heartbeat = new Chunk(heartbeatBytes);
    for (const connection of connections) {
      const unsentBytes = connection.sink.unsentBytes();
      const takenBytes = connection.sink.sentBytes();
      if (unsentBytes === 0 || takenBytes > connection.lastSentBytes) connection.lastProgressAtMs = times.nowMs;
      connection.lastSentBytes = takenBytes;
      const reason = findEndReason(connection, times, options.stallMs);
      if (reason !== null) end(connection, reason);
      else if (times.nowMs >= connection.heartbeatAtMs) {
        connection.heartbeatAtMs = times.nowMs + nextHeartbeatDelayMs(connection.feed, options.heartbeatIntervalMs);
        if (unsentBytes > 0) continue;
        if (hasUnannouncedPosition(connection)) announcePosition(connection);
        else connection.sink.write(heartbeat);
      }
    }
  };
}

interface Times {
  /** On the monotonic clock. */
  readonly nowMs: number;
  /** Since the Unix epoch: rights end by the calendar. */
  readonly wallMs: number;
}

/** What ends the connection now; null while nothing does. */
function findEndReason(connection: Connection, { nowMs, wallMs }: Times, stallMs: number): ClosingReason | null {
  const { validUntil } = connection.entitlement;
  if (validUntil !== null && wallMs >= validUntil.getTime()) return 'expired';
  if (nowMs - connection.lastProgressAtMs >= stallMs) return 'slow';
  return nowMs >= connection.endsAtMs ? 'lifetime' : null;
}
