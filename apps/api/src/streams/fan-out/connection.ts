import type { StreamEntitlement } from '../../revocation/stream-entitlement.ts';
import { Chunk } from './chunk.ts';
import { type ClosingReason, closingRules } from './closing-rules.ts';
import type { Feed } from './feed.ts';
import { closingBytes, positionBytes } from './frame.ts';
import type { Sink } from './socket-sink.ts';

/** One open stream: a cursor into the log and a socket (ADR 3). */
export interface Connection {
  /** The id of the request that opened it. */
  readonly id: string;
  /** The client's address; null: unknown. */
  readonly address: string | null;
  /** Milliseconds since the Unix epoch. */
  readonly openedAtMs: number;
  readonly sink: Sink;
  /** What the stream may show, and until when. */
  entitlement: StreamEntitlement;
  /** The ring's frames that pass the entitlement's filter. */
  feed: Feed;
  /** The epoch of the log. A connection never moves to another epoch: the hub closes it with `resync`. */
  readonly epoch: string;
  /** The last event that was written or dropped by the filter; at first, the position of `stream.open`. */
  cursor: { readonly ms: number; readonly seq: number };
  /** The `seq` of the last position that was written to the client. It is behind the cursor by the dropped events. */
  announcedSeq: number;
  /** `live`: fed from the ring. `replaying`: behind the ring, fed from the log. `closed`: removed from the hub. */
  state: 'live' | 'replaying' | 'closed';
  /**
   * True from the moment the unsent bytes of a live connection reach the limit (`unsentLimitBytes`) until it has caught
   * up with the end of the ring.
   */
  isBackpressured: boolean;
  /** Whether a write for this connection waits in the time slicer. */
  isScheduled: boolean;
  /** Wakes a replay that waits for the socket: called when the socket has drained or closed. */
  wake: () => void;
  /** When the next heartbeat is due, in milliseconds on the monotonic clock. */
  heartbeatAtMs: number;
  /** When the lifetime ends, in milliseconds on the monotonic clock. */
  endsAtMs: number;
  /** `Sink.sentBytes` at the last sweep. */
  lastSentBytes: number;
  /** When a sweep last saw the client accept bytes or have nothing unsent, on the monotonic clock. */
  lastProgressAtMs: number;
  /** Called once, when the connection leaves the hub. */
  readonly onEnd: (reason: ClosingReason | 'client-left') => void;
}

/** Whether the cursor has moved past the last position that was written to the client. */
export function hasUnannouncedPosition({ cursor, announcedSeq }: Connection): boolean {
  return cursor.seq !== announcedSeq;
}

/** Writes a `stream.position` message with the connection's cursor. */
export function announcePosition(connection: Connection): void {
  const { epoch, cursor } = connection;
  connection.announcedSeq = cursor.seq;
  connection.sink.write(new Chunk(positionBytes({ epoch, ...cursor })));
}

/**
 * The last bytes of a stream: `stream.closing`. A `stream.position` comes before it if the cursor is past the last
 * position that was written, and the closing rule of the reason allows it. Then a client that resumes does not read the
 * filtered-out events again.
 */
export function closingChunkFor(connection: Connection, reason: ClosingReason): Chunk {
  const { epoch, cursor } = connection;
  const closing = closingBytes(reason);
  if (!hasUnannouncedPosition(connection) || !closingRules[reason].sendsPosition) return new Chunk(closing);
  return new Chunk(Buffer.concat([positionBytes({ epoch, ...cursor }), closing]));
}

/** Spreads a duration by ± 20 %, so that connections opened together do not act together for ever. */
export function jittered(ms: number): number {
  return ms * (0.8 + Math.random() * 0.4);
}
