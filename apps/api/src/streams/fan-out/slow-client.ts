import type { Sink } from './chunk.ts';

/**
 * Decides who is a slow client. The rule has three questions:
 * - *Is its buffer full?* (`isFull`) Then the pod writes no more events to it while it is full.
 * - *Has it fallen behind the ring?* (`hasFallenBehind`) The ring has dropped the next event of a client that was too
 *   slow to get it. The stream ends with `slow`.
 * - *Has it stalled?* (`isStalled`) It has accepted nothing for `stallMs`. The stream ends with `slow`.
 *
 * Example: a laptop falls asleep with an open stream. Its buffer is full after 64 KiB, and 30 s after the last byte
 * that it accepted, it has stalled. If the ring drops its next event before that, it has fallen behind.
 */
export interface SlowClientLimits {
  /**
   * A client's buffer is full at this many unsent bytes. They cost memory per client; later events do not, because they
   * wait in the ring or the log, which all streams share.
   */
  readonly unsentLimitBytes: number;
  /** How long a client may accept nothing, in milliseconds. */
  readonly stallMs: number;
}

export const slowClientDefaults: SlowClientLimits = {
  // 1 000 clients that read nothing cost 220 MiB with this, and 443 MiB with 256 KiB, without being faster.
  unsentLimitBytes: 64 * 1024,
  // Two heartbeats: a client that is connected accepts at least one of them.
  stallMs: 30_000,
};

/** What a connection knows of the pace of its client. */
export interface ClientPace {
  readonly sink: Pick<Sink, 'unsentBytes' | 'sentBytes'>;
  /** `live`: fed from the ring. `replaying`: behind the ring, fed from the log. `closed`: removed from the hub. */
  state: 'live' | 'replaying' | 'closed';
  /** True from when the buffer of a live connection is full until the connection has caught up with the ring's end. */
  isBackpressured: boolean;
  /** Wakes a replay that waits for the socket: called when the socket has drained or closed. */
  wake: () => void;
  /** `Sink.sentBytes` at the last sweep. */
  lastSentBytes: number;
  /** When a sweep last saw the client accept bytes or have nothing unsent, on the monotonic clock. */
  lastProgressAtMs: number;
}

type UnsentLimit = Pick<SlowClientLimits, 'unsentLimitBytes'>;

/** Whether the unsent bytes have reached the limit. */
export function isFull({ sink }: Pick<ClientPace, 'sink'>, { unsentLimitBytes }: UnsentLimit): boolean {
  return sink.unsentBytes() >= unsentLimitBytes;
}

/** Updates `isBackpressured` after a write. `isAtEnd`: whether the connection is at the end of the ring. */
export function updateBackpressure(client: ClientPace, limit: UnsentLimit, isAtEnd: boolean): void {
  client.isBackpressured = isFull(client, limit) || (client.isBackpressured && !isAtEnd);
}

/**
 * Whether a client whose next event the ring has dropped was too slow. If not, more events arrived at once than the
 * ring holds, and the hub replays them from the log.
 */
export function hasFallenBehind({ isBackpressured }: Pick<ClientPace, 'isBackpressured'>): boolean {
  return isBackpressured;
}

/** Resolves when the client's buffer is not full, or the connection is closed. */
export async function waitUntilNotFull(client: ClientPace, limit: UnsentLimit): Promise<void> {
  while (client.state !== 'closed' && isFull(client, limit)) {
    await new Promise<void>((resolve) => {
      client.wake = resolve;
    });
  }
}

/** To be called at each sweep. A client makes progress when it accepts bytes, or has accepted everything. */
export function recordProgress(client: ClientPace, nowMs: number): void {
  const sentBytes = client.sink.sentBytes();
  if (client.sink.unsentBytes() === 0 || sentBytes > client.lastSentBytes) client.lastProgressAtMs = nowMs;
  client.lastSentBytes = sentBytes;
}

/** Whether the client has made no progress for `stallMs`, at `nowMs` on the monotonic clock. */
export function isStalled(client: Pick<ClientPace, 'lastProgressAtMs'>, nowMs: number, stallMs: number): boolean {
  return nowMs - client.lastProgressAtMs >= stallMs;
}
