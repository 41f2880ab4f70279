import type { Clock } from '@widget-service/shared/runtime/clock.ts';
import type { StreamEntitlement } from '../../revocation/stream-entitlement.ts';
import { Chunk, type Sink } from './chunk.ts';
import type { ClosingReason } from './closing-rules.ts';
import type { Feed } from './feed.ts';
import { positionBytes } from './frame.ts';
import { type ClientPace, isStalled, recordProgress, type SlowClientLimits } from './slow-client.ts';

/** A stream to join. Its headers and opening messages have been written. */
export interface JoinRequest {
  /** The id of the request that opened it. */
  readonly id: string;
  /** The client's address; null: unknown. */
  readonly address: string | null;
  readonly sink: Sink;
  /** What the stream may show, and until when. */
  readonly entitlement: StreamEntitlement;
  /** The epoch of the log. A connection never moves to another epoch: the hub closes it with `resync`. */
  readonly epoch: string;
  /** The position of `stream.open`. */
  readonly cursor: { readonly ms: number; readonly seq: number };
  /** Called once, when the stream ends. */
  readonly onEnd: (reason: ClosingReason | 'client-left') => void;
}

/** One open stream: a cursor into the log and a socket (ADR 3). */
export interface Connection extends Omit<JoinRequest, 'entitlement' | 'cursor'>, ClientPace {
  readonly sink: Sink;
  /** Milliseconds since the Unix epoch. */
  readonly openedAtMs: number;
  entitlement: StreamEntitlement;
  /** The ring's frames that pass the entitlement's filter. */
  feed: Feed;
  /** The last event that was written or dropped by the filter; at first, the position of `stream.open`. */
  cursor: { readonly ms: number; readonly seq: number };
  /** The `seq` of the last position that was written to the client. It is behind the cursor by the dropped events. */
  announcedSeq: number;
  /** Whether a write for this connection waits in the time slicer. */
  isScheduled: boolean;
  /** When the next heartbeat is due, in milliseconds on the monotonic clock. */
  heartbeatAtMs: number;
  /** When the lifetime ends, in milliseconds on the monotonic clock. */
  readonly endsAtMs: number;
}

/** Intervals of a connection, in milliseconds. */
export interface ConnectionTimes {
  readonly heartbeatIntervalMs: number;
  /** How long a stream may stay open. Each stream gets a jitter of ± 20 %. */
  readonly lifetimeMs: number;
}

/** Creates a connection. `feed` must be the feed of the entitlement's filter. */
export function createConnection(
  request: JoinRequest,
  feed: Feed,
  clock: Pick<Clock, 'now' | 'monotonicMs'>,
  { heartbeatIntervalMs, lifetimeMs }: ConnectionTimes,
): Connection {
  const nowMs = clock.monotonicMs();
  return {
    ...request,
    openedAtMs: clock.now().getTime(),
    feed,
    announcedSeq: request.cursor.seq,
    state: 'live',
    isBackpressured: false,
    isScheduled: false,
    wake: () => undefined,
    heartbeatAtMs: nowMs + nextHeartbeatDelayMs(feed, heartbeatIntervalMs),
    endsAtMs: nowMs + jittered(lifetimeMs),
    lastSentBytes: 0,
    lastProgressAtMs: nowMs,
  };
}

/** Adds a jitter of ± 20 %, so that connections that were opened together do not act at the same moment. */
function jittered(ms: number): number {
  return ms * (0.8 + Math.random() * 0.4);
}

/**
 * An empty SSE comment, which keeps an idle stream open. No blank line follows it, because several client libraries
 * report an empty message for each blank line.
 */
const heartbeat = new Chunk(Buffer.from(':\n'));

/**
 * The longest heartbeat interval of a filtered stream. Its heartbeats also announce the position, if the filter has
 * dropped events (`stream.position`). With the jitter of 20 % it is below a minute, so a position is announced within a
 * minute, or an interval later if bytes are unsent when it is due.
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
function sendHeartbeatIfDue(connection: Connection, nowMs: number, heartbeatIntervalMs: number): void {
  if (nowMs < connection.heartbeatAtMs) return;
  connection.heartbeatAtMs = nowMs + nextHeartbeatDelayMs(connection.feed, heartbeatIntervalMs);
  const { sink, epoch, cursor, announcedSeq } = connection;
  if (sink.unsentBytes() > 0) return;
  connection.announcedSeq = cursor.seq;
  sink.write(cursor.seq === announcedSeq ? heartbeat : new Chunk(positionBytes({ epoch, ...cursor })));
}

/** The pause between sweeps, in milliseconds: a quarter of the heartbeat interval, from 50 ms to 1 s. */
export function sweepIntervalMs(heartbeatIntervalMs: number): number {
  return Math.min(1_000, Math.max(50, heartbeatIntervalMs / 4));
}

/**
 * Checks all open connections, about once a second: measures the progress of each client, ends the connections for
 * which `findClosingReason` has a reason, and sends heartbeats to the others.
 */
export function sweep(
  connections: Iterable<Connection>,
  clock: Pick<Clock, 'now' | 'monotonicMs'>,
  { heartbeatIntervalMs, stallMs }: Pick<ConnectionTimes & SlowClientLimits, 'heartbeatIntervalMs' | 'stallMs'>,
  end: (connection: Connection, reason: ClosingReason) => void,
): void {
  const times = { nowMs: clock.monotonicMs(), wallMs: clock.now().getTime() };
  for (const connection of connections) {
    recordProgress(connection, times.nowMs);
    const reason = findClosingReason(connection, times, stallMs);
    if (reason !== null) end(connection, reason);
    else sendHeartbeatIfDue(connection, times.nowMs, heartbeatIntervalMs);
  }
}

/** The parts of a connection that `findClosingReason` uses. */
interface AgingStream extends Pick<Connection, 'lastProgressAtMs' | 'endsAtMs'> {
  readonly entitlement: Pick<StreamEntitlement, 'validUntil'>;
}

/** The time of a sweep. */
interface SweepTimes {
  /** On the monotonic clock. */
  readonly nowMs: number;
  /** Since the Unix epoch: entitlements expire by the calendar. */
  readonly wallMs: number;
}

/**
 * Returns why the stream must end now: its entitlement has expired, its client has stalled, or its lifetime is over.
 * Returns null if it may go on.
 */
export function findClosingReason(stream: AgingStream, { nowMs, wallMs }: SweepTimes, stallMs: number) {
  const { validUntil } = stream.entitlement;
  if (validUntil !== null && wallMs >= validUntil.getTime()) return 'expired';
  if (isStalled(stream, nowMs, stallMs)) return 'slow';
  return nowMs >= stream.endsAtMs ? 'lifetime' : null;
}
