import type { Clock } from '@widget-service/shared/runtime/clock.ts';
import type { JoinedFrames } from './chunk.ts';
import type { ClosingReason } from './closing-rules.ts';
import type { Connection } from './connection.ts';
import type { Feeds } from './feed.ts';
import { LogDiscontinuityError, type makeReadLog } from './log-reader.ts';
import { makeReplay } from './replay.ts';
import type { Ring } from './ring.ts';
import { TimeSlicer } from './time-slicer.ts';

export interface StreamFeederDeps {
  readonly ring: Ring;
  readonly readLog: ReturnType<typeof makeReadLog>;
  readonly clock: Pick<Clock, 'monotonicMs'>;
  readonly feeds: Pick<Feeds, 'clearCaches'>;
  /** The open streams: a live view, not a copy. */
  readonly connections: Iterable<Connection>;
  /** From this many unsent bytes on, the feeder writes nothing more to a connection. */
  readonly unsentLimitBytes: number;
  readonly end: (connection: Connection, reason: ClosingReason) => void;
}

/** What the feeder has written. */
export interface SentTotals {
  readonly events: number;
  /** Bytes of the events, without HTTP's chunk framing. */
  readonly bytes: number;
}

/** After this many connections, a fan-out lets other work of the process run. */
const connectionsPerYield = 500;

/**
 * Moves each connection forward through the log as far as its socket accepts bytes: from the ring if the ring covers
 * the cursor, otherwise from the log (replay).
 *
 * New frames go out at once, as one write to each connection that has caught up (fan-out). The other connections are
 * written to in time slices (ADR 9).
 */
export class StreamFeeder {
  readonly #deps: StreamFeederDeps;
  readonly #slicer: TimeSlicer;
  readonly #replay: ReturnType<typeof makeReplay>;
  #isFanningOut = false;
  #hasNewFrames = false;
  #sent = { events: 0, bytes: 0 };
  #onFannedOut: (() => void)[] = [];

  constructor(deps: StreamFeederDeps) {
    this.#deps = deps;
    const { ring, readLog, clock, feeds, unsentLimitBytes } = deps;
    this.#slicer = new TimeSlicer({ clock, onSliceEnd: () => feeds.clearCaches() });
    const send = this.#send.bind(this);
    this.#replay = makeReplay({ ring, readLog, slicer: this.#slicer, unsentLimitBytes, send });
  }

  /** Resolves in a time slice, for work that opens a stream. */
  nextSlice(): Promise<void> {
    return this.#slicer.nextSlice();
  }

  /** Returns what was written since the last call. An event counts once per connection. */
  takeSent(): SentTotals {
    const sent = this.#sent;
    this.#sent = { events: 0, bytes: 0 };
    return sent;
  }

  /** Starts to feed a connection that has just joined. */
  start(connection: Connection): void {
    if (this.#deps.ring.canServeFrom(connection.cursor.seq + 1)) this.#startLive(connection);
    else void this.#startReplay(connection);
  }

  /** Continues with a connection whose unsent bytes have been accepted. */
  resume(connection: Connection): void {
    if (connection.state === 'live') this.#scheduleWrite(connection);
    else connection.wake();
  }

  /**
   * Schedules a fan-out. To be called when the ring has new frames. Calls `onFannedOut` when these frames were written
   * to every connection that had caught up.
   */
  notify(onFannedOut?: () => void): void {
    this.#hasNewFrames = true;
    if (onFannedOut !== undefined) this.#onFannedOut.push(onFannedOut);
    if (this.#isFanningOut) return;
    this.#isFanningOut = true;
    setImmediate(() => void this.#fanOut());
  }

  async #fanOut(): Promise<void> {
    const { connections, feeds } = this.#deps;
    while (this.#hasNewFrames) {
      this.#hasNewFrames = false;
      const onFannedOut = this.#onFannedOut;
      this.#onFannedOut = [];
      let count = 0;
      for (const connection of connections) {
        if (connection.state !== 'live' || connection.isScheduled) continue;
        if (this.#writeOnce(connection)) this.#scheduleWrite(connection);
        count += 1;
        if (count % connectionsPerYield === 0) await new Promise((resolve) => setImmediate(resolve));
      }
      feeds.clearCaches();
      for (const listener of onFannedOut) listener();
    }
    this.#isFanningOut = false;
  }

  /** Feeds the connection from the ring from here on. */
  #startLive(connection: Connection): void {
    const next = this.#deps.ring.after(connection.cursor);
    if (typeof next === 'string') this.#handleRingMiss(connection, next);
    else this.#scheduleWrite(connection);
  }

  /**
   * Writes the ring's frames to the connection as long as its unsent bytes are below the limit. After each write the
   * connection goes to the end of the slicer's queue.
   */
  #scheduleWrite(connection: Connection): void {
    if (connection.isScheduled) return;
    connection.isScheduled = true;
    this.#slicer.run(() => {
      connection.isScheduled = false;
      if (connection.state === 'live' && this.#writeOnce(connection)) this.#scheduleWrite(connection);
    });
  }

  /**
   * Writes once to the connection, unless its unsent bytes have reached the limit. Returns true if the ring has more
   * frames for it and its unsent bytes are still below the limit.
   */
  #writeOnce(connection: Connection): boolean {
    const { ring, unsentLimitBytes } = this.#deps;
    const isFull = () => connection.sink.unsentBytes() >= unsentLimitBytes;
    if (isFull()) {
      connection.isBackpressured = true;
      return false;
    }
    const next = ring.after(connection.cursor);
    if (typeof next === 'string') {
      this.#handleRingMiss(connection, next);
      return false;
    }
    this.#send(connection, connection.feed.joinFrom(next));
    const isAtEnd = ring.after(connection.cursor) === 'at-end';
    connection.isBackpressured = isFull() || (connection.isBackpressured && !isAtEnd);
    return !isFull() && !isAtEnd;
  }

  /**
   * Handles a cursor for which the ring has no next frame. If the ring has dropped the frame, a backpressured client
   * was too slow, and its stream ends. Any other client kept up, but more frames arrived at once than the ring holds:
   * the feeder replays them from the log.
   */
  #handleRingMiss(connection: Connection, reason: 'at-end' | 'dropped' | 'diverged'): void {
    const { end } = this.#deps;
    if (reason === 'at-end') connection.isBackpressured = false;
    else if (reason === 'diverged') end(connection, 'resync');
    else if (connection.isBackpressured) end(connection, 'slow');
    else void this.#startReplay(connection);
  }

  #send(connection: Connection, { chunk, count, lastSentSeq, end }: JoinedFrames): void {
    connection.cursor = end;
    if (chunk === null) return;
    this.#sent.events += count;
    this.#sent.bytes += chunk.plain.length;
    connection.announcedSeq = lastSentSeq;
    connection.sink.write(chunk);
  }

  /** Feeds the connection from the log until the ring covers its cursor, then from the ring. */
  async #startReplay(connection: Connection): Promise<void> {
    connection.state = 'replaying';
    try {
      await this.#replay(connection);
      if (connection.state !== 'replaying') return;
      connection.state = 'live';
      this.#startLive(connection);
    } catch (error) {
      this.#deps.end(connection, error instanceof LogDiscontinuityError ? 'resync' : 'unavailable');
    }
  }
}
