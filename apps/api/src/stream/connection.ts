import type { StreamEntitlement } from '../auth/stream-entitlement.ts';
import { Chunk } from './chunk.ts';
import type { Feed } from './feed.ts';
import { type ClosingReason, closingBytes, positionBytes } from './frame.ts';
import type { Sink } from './response-sink.ts';

/** One open stream: a cursor into the log, and a socket. */
export interface Connection {
  readonly sink: Sink;
  /** What it stands on, and what its filter lets through of the ring. */
  entitlement: StreamEntitlement;
  feed: Feed;
  /** Of the log; a connection never crosses into another one. */
  readonly epoch: string;
  /** The last event that was sent, or dropped by the filter. */
  cursor: { readonly ms: number; readonly seq: number };
  /** The number of the last position that the client was told: behind the cursor by what the filter has dropped. */
  announcedSeq: number;
  /**
   * `live`: fed from the ring. `replaying`: behind the ring, fed from the log. `closed`: no longer in the hub.
   */
  state: 'live' | 'replaying' | 'closed';
  /** True from when its socket took no more until it has caught up again. */
  isBackpressured: boolean;
  /** Whether it waits for its turn to be written to. */
  isScheduled: boolean;
  /** Called when the socket has taken everything, or is gone: a replay may be waiting for it. */
  wake: () => void;
  /** When the next heartbeat is due, when the lifetime ends: on the monotonic clock, in milliseconds. */
  heartbeatAtMs: number;
  endsAtMs: number;
  /** Bytes taken at the last look, and when the client was last seen to have taken something, or to have nothing to take. */
  lastSentBytes: number;
  lastProgressAtMs: number;
  readonly onEnd: (reason: ClosingReason | 'client-left') => void;
}

/** A filtered stream tells its position with its heartbeats, and so at least once a minute. */
const filteredHeartbeatMaxMs = 45_000;

/** The time to the next heartbeat, in milliseconds. */
export function nextHeartbeatDelayMs({ passes }: Feed, heartbeatIntervalMs: number): number {
  return jittered(passes === null ? heartbeatIntervalMs : Math.min(heartbeatIntervalMs, filteredHeartbeatMaxMs));
}

/** Whether the cursor has moved since the client was told a position. */
export function hasUnannouncedPosition({ cursor, announcedSeq }: Connection): boolean {
  return cursor.seq !== announcedSeq;
}

export function announcePosition(connection: Connection): void {
  const { epoch, cursor } = connection;
  connection.announcedSeq = cursor.seq;
  connection.sink.write(new Chunk(positionBytes({ epoch, ...cursor })));
}

/** After these there is nothing to come back to, or not from where the connection stood. */
const withoutPosition: readonly ClosingReason[] = ['resync', 'revoked', 'expired'];

/** What a stream says last. A position that was not told yet comes first: the client need not pass over it again. */
export function closingChunkFor(connection: Connection, reason: ClosingReason): Chunk {
  const { epoch, cursor } = connection;
  const closing = closingBytes(reason);
  if (!hasUnannouncedPosition(connection) || withoutPosition.includes(reason)) return new Chunk(closing);
  return new Chunk(Buffer.concat([positionBytes({ epoch, ...cursor }), closing]));
}

/** ± 20 %, so that connections opened together do not stay in step. */
export function jittered(ms: number): number {
  return ms * (0.8 + Math.random() * 0.4);
}
