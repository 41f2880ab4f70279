import type { Clock } from '@widget-service/shared/runtime/clock.ts';
import { Chunk } from './chunk.ts';
import { type Connection, hasMovedUnseen, heartbeatAfterMs, tellPosition } from './connection.ts';
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
export function sweepEveryMs({ heartbeatIntervalMs }: SweepOptions): number {
  return Math.min(1_000, Math.max(50, heartbeatIntervalMs / 4));
}

/** Looks after the open connections: heartbeats, lifetimes, rights that run out, clients that take nothing. */
export function createSweep({ clock, options, end }: SweepDeps) {
  return (connections: Iterable<Connection>): void => {
    const times = { nowMs: clock.monotonicMs(), wallMs: clock.now().getTime() };
    const heartbeat = new Chunk(heartbeatBytes);
    for (const connection of connections) {
      const unsentBytes = connection.sink.unsentBytes();
      const takenBytes = connection.sink.takenBytes();
      if (unsentBytes === 0 || takenBytes > connection.lastTakenBytes) connection.lastProgressAtMs = times.nowMs;
      connection.lastTakenBytes = takenBytes;
      const reason = endOf(connection, times, options.stallMs);
      if (reason !== null) end(connection, reason);
      else if (times.nowMs >= connection.heartbeatAtMs) {
        connection.heartbeatAtMs = times.nowMs + heartbeatAfterMs(connection.feed, options.heartbeatIntervalMs);
        if (unsentBytes > 0) continue;
        if (hasMovedUnseen(connection)) tellPosition(connection);
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
function endOf(connection: Connection, { nowMs, wallMs }: Times, stallMs: number): ClosingReason | null {
  const { validUntil } = connection.right;
  if (validUntil !== null && wallMs >= validUntil.getTime()) return 'expired';
  if (nowMs - connection.lastProgressAtMs >= stallMs) return 'slow';
  return nowMs >= connection.endsAtMs ? 'lifetime' : null;
}
