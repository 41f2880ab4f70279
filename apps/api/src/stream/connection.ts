import type { ClosingReason } from './frame.ts';
import type { Sink } from './response-sink.ts';

/** One open stream: a cursor into the log, and a socket. */
export interface Connection {
  readonly sink: Sink;
  /** The event sent last. */
  cursor: { ms: number; seq: number };
  /**
   * `live`: fed from the ring. `replaying`: behind the ring, fed from the log. `closed`: no longer in the hub.
   */
  state: 'live' | 'replaying' | 'closed';
  /** True from when its socket took no more until it has caught up again. */
  isHeldBack: boolean;
  /** Called when the socket has taken everything, or is gone: a replay may be waiting for it. */
  wake: () => void;
  /** When the next heartbeat is due, when the lifetime ends: on the monotonic clock, in milliseconds. */
  heartbeatAtMs: number;
  endsAtMs: number;
  /** Unsent bytes and time of the last look at which the client had taken something. */
  lastUnsentBytes: number;
  lastProgressAtMs: number;
  readonly onEnd: (reason: ClosingReason | 'client-left') => void;
}
