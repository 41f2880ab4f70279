import type { Clock } from '@widget-service/shared/runtime/clock.ts';
import type { JoinedFrames } from './chunk.ts';
import type { Connection } from './connection.ts';
import type { Feeds } from './feed.ts';
import type { ClosingReason } from './frame.ts';
import { LogDiscontinuityError, type makeReadLog } from './log-reader.ts';
import { makeReplay } from './replay.ts';
import type { Ring } from './ring.ts';
import { TimeSlicer } from './time-slicer.ts';

export interface StreamFeederDeps {
  readonly ring: Ring;
  readonly readLog: ReturnType<typeof makeReadLog>;
  readonly clock: Pick<Clock, 'monotonicMs'>;
  readonly feeds: Pick<Feeds, 'clearCaches'>;
  /** The open streams, as they are at any time. */
  readonly connections: Iterable<Connection>;
  readonly unsentLimitBytes: number;
  readonly end: (connection: Connection, reason: ClosingReason) => void;
}

/** A fan-out lets other work in after so many connections. */
const connectionsPerTurn = 500;

/**
 * Moves each connection forward through the log, as far as its socket takes it: from the ring while it can, from the log
 * itself where it lies further behind. What is new goes out at once as one write to all that have caught up; the others
 * are written to in turns.
 */
export class StreamFeeder {
  readonly #deps: StreamFeederDeps;
  readonly #turns: TimeSlicer;
  readonly #replay: ReturnType<typeof makeReplay>;
  #isFanningOut = false;
  #hasNews = false;
  #delivered = 0;

  constructor(deps: StreamFeederDeps) {
    this.#deps = deps;
    const { ring, readLog, clock, feeds, unsentLimitBytes } = deps;
    this.#turns = new TimeSlicer({ clock, onSliceEnd: () => feeds.clearCaches() });
    const send = this.#send.bind(this);
    this.#replay = makeReplay({ ring, readLog, slicer: this.#turns, unsentLimitBytes, send });
  }

  /** Resolves when it is a newcomer's turn. */
  nextSlice(): Promise<void> {
    return this.#turns.nextSlice();
  }

  /** How many events were written since it was asked last, each connection counted. */
  takeSentCount(): number {
    const delivered = this.#delivered;
    this.#delivered = 0;
    return delivered;
  }

  /** Begins with a connection that has just joined. */
  begin(connection: Connection): void {
    if (this.#deps.ring.covers(connection.cursor.seq + 1)) this.#startLive(connection);
    else void this.#startReplay(connection);
  }

  /** Goes on with a connection whose socket has taken everything. */
  resume(connection: Connection): void {
    if (connection.state === 'live') this.#scheduleWrite(connection);
    else connection.wake();
  }

  /** Tells that the ring has new frames. */
  notify(): void {
    this.#hasNews = true;
    if (this.#isFanningOut) return;
    this.#isFanningOut = true;
    setImmediate(() => void this.#fanOut());
  }

  async #fanOut(): Promise<void> {
    const { connections, feeds } = this.#deps;
    while (this.#hasNews) {
      this.#hasNews = false;
      let count = 0;
      for (const connection of connections) {
        if (connection.state !== 'live' || connection.isScheduled) continue;
        if (this.#writeOnce(connection)) this.#scheduleWrite(connection);
        count += 1;
        if (count % connectionsPerTurn === 0) await new Promise((resolve) => setImmediate(resolve));
      }
      feeds.clearCaches();
    }
    this.#isFanningOut = false;
  }

  /** From here on the connection is fed from the ring. */
  #startLive(connection: Connection): void {
    const next = this.#deps.ring.after(connection.cursor);
    if (typeof next === 'string') this.#handleRingMiss(connection, next);
    else this.#scheduleWrite(connection);
  }

  /** Writes what the ring has for this connection, one write in a turn, as far as its socket takes it. */
  #scheduleWrite(connection: Connection): void {
    if (connection.isScheduled) return;
    connection.isScheduled = true;
    this.#turns.run(() => {
      connection.isScheduled = false;
      if (connection.state === 'live' && this.#writeOnce(connection)) this.#scheduleWrite(connection);
    });
  }

  /** True when the ring has more for this connection, and its socket takes more. */
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
    this.#send(connection, connection.feed.framesFrom(next));
    const isAtEnd = ring.after(connection.cursor) === 'none-yet';
    connection.isBackpressured = isFull() || (connection.isBackpressured && !isAtEnd);
    return !isFull() && !isAtEnd;
  }

  /** The ring leads no further. Where more came at once than it holds, who took all there was goes on from the log. */
  #handleRingMiss(connection: Connection, why: 'none-yet' | 'dropped' | 'other-history'): void {
    const { end } = this.#deps;
    if (why === 'none-yet') connection.isBackpressured = false;
    else if (why === 'other-history') end(connection, 'resync');
    else if (connection.isBackpressured) end(connection, 'slow');
    else void this.#startReplay(connection);
  }

  #send(connection: Connection, { chunk, count, lastSentSeq, end }: JoinedFrames): void {
    connection.cursor = end;
    if (chunk === null) return;
    this.#delivered += count;
    connection.announcedSeq = lastSentSeq;
    connection.sink.write(chunk);
  }

  /** Replays what lies behind the ring, then goes on from it. */
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
