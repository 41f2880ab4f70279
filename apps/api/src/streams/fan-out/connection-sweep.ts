import type { Clock } from '@widget-service/shared/runtime/clock.ts';
import { type ClosingReason, findClosingReason } from './closing-rules.ts';
import type { Connection } from './connection.ts';
import { sendHeartbeatIfDue } from './heartbeat.ts';

/** Intervals of the sweep, in milliseconds. */
export interface SweepOptions {
  readonly heartbeatIntervalMs: number;
  /** How long a client may accept nothing, in milliseconds, before the pod closes its stream as `slow`. */
  readonly stallMs: number;
}

export interface SweepDeps {
  readonly clock: Pick<Clock, 'now' | 'monotonicMs'>;
  readonly options: SweepOptions;
  readonly end: (connection: Connection, reason: ClosingReason) => void;
}

/** The pause between sweeps, in milliseconds: a quarter of the heartbeat interval, from 50 ms to 1 s. */
export function sweepIntervalMs({ heartbeatIntervalMs }: SweepOptions): number {
  return Math.min(1_000, Math.max(50, heartbeatIntervalMs / 4));
}

/**
 * Makes the function that maintains the open connections. It measures the progress of each client, ends connections
 * by `findClosingReason`, and sends heartbeats and positions to the others.
 */
export function makeSweep({ clock, options, end }: SweepDeps) {
  return (connections: Iterable<Connection>): void => {
    const times = { nowMs: clock.monotonicMs(), wallMs: clock.now().getTime() };
    for (const connection of connections) {
      recordProgress(connection, times.nowMs);
      const reason = findClosingReason(connection, times, options.stallMs);
      if (reason !== null) end(connection, reason);
      else sendHeartbeatIfDue(connection, times.nowMs, options.heartbeatIntervalMs);
    }
  };
}

/** A client makes progress when it accepts bytes, or has accepted everything. */
function recordProgress(connection: Connection, nowMs: number): void {
  const sentBytes = connection.sink.sentBytes();
  if (connection.sink.unsentBytes() === 0 || sentBytes > connection.lastSentBytes) connection.lastProgressAtMs = nowMs;
  connection.lastSentBytes = sentBytes;
}
