import type { Clock } from '@widget-service/shared/runtime/clock.ts';
import type { Connection } from './connection.ts';
import type { Feeds } from './feed.ts';
import type { ClosingReason } from './frame.ts';
import type { JoinedFrames } from './join-frames.ts';
import { type createLogReader, LogDiscontinuityError } from './log-reader.ts';
import { createReplay } from './replay.ts';
import type { Ring } from './ring.ts';
import { Turns } from './turns.ts';

export interface FeederDeps {
  readonly ring: Ring;
  readonly readLog: ReturnType<typeof createLogReader>;
  readonly clock: Pick<Clock, 'monotonicMs'>;
  readonly feeds: Pick<Feeds, 'forget'>;
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
export class Feeder {
  readonly #deps: FeederDeps;
  readonly #turns: Turns;
  readonly #replay: ReturnType<typeof createReplay>;
  #isFanningOut = false;
  #hasNews = false;
  #delivered = 0;

  constructor(deps: FeederDeps) {
    this.#deps = deps;
    const { ring, readLog, clock, feeds, unsentLimitBytes } = deps;
    this.#turns = new Turns({ clock, onTurnEnd: () => feeds.forget() });
    const send = this.#send.bind(this);
    this.#replay = createReplay({ ring, readLog, turns: this.#turns, unsentLimitBytes, send });
  }

  /** Resolves when it is a newcomer's turn. */
  turn(): Promise<void> {
    return this.#turns.take();
  }

  /** How many events were written since it was asked last, each connection counted. */
  takeDelivered(): number {
    const delivered = this.#delivered;
    this.#delivered = 0;
    return delivered;
  }

  /** Begins with a connection that has just joined. */
  begin(connection: Connection): void {
    if (this.#deps.ring.reaches(connection.cursor.seq + 1)) this.#follow(connection);
    else void this.#goBack(connection);
  }

  /** Goes on with a connection whose socket has taken everything. */
  resume(connection: Connection): void {
    if (connection.state === 'live') this.#goOn(connection);
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
        if (connection.state !== 'live' || connection.isWaiting) continue;
        if (this.#writeOnce(connection)) this.#goOn(connection);
        count += 1;
        if (count % connectionsPerTurn === 0) await new Promise((resolve) => setImmediate(resolve));
      }
      feeds.forget();
    }
    this.#isFanningOut = false;
  }

  /** From here on the connection is fed from the ring. */
  #follow(connection: Connection): void {
    const next = this.#deps.ring.after(connection.cursor);
    if (typeof next === 'string') this.#halt(connection, next);
    else this.#goOn(connection);
  }

  /** Writes what the ring has for this connection, one write in a turn, as far as its socket takes it. */
  #goOn(connection: Connection): void {
    if (connection.isWaiting) return;
    connection.isWaiting = true;
    this.#turns.run(() => {
      connection.isWaiting = false;
      if (connection.state === 'live' && this.#writeOnce(connection)) this.#goOn(connection);
    });
  }

  /** True when the ring has more for this connection, and its socket takes more. */
  #writeOnce(connection: Connection): boolean {
    const { ring, unsentLimitBytes } = this.#deps;
    const isFull = () => connection.sink.unsentBytes() >= unsentLimitBytes;
    if (isFull()) {
      connection.isHeldBack = true;
      return false;
    }
    const next = ring.after(connection.cursor);
    if (typeof next === 'string') {
      this.#halt(connection, next);
      return false;
    }
    this.#send(connection, connection.feed.share(next));
    const isAtEnd = ring.after(connection.cursor) === 'none-yet';
    connection.isHeldBack = isFull() || (connection.isHeldBack && !isAtEnd);
    return !isFull() && !isAtEnd;
  }

  /** The ring leads no further. Where more came at once than it holds, who took all there was goes on from the log. */
  #halt(connection: Connection, why: 'none-yet' | 'dropped' | 'other-history'): void {
    const { end } = this.#deps;
    if (why === 'none-yet') connection.isHeldBack = false;
    else if (why === 'other-history') end(connection, 'resync');
    else if (connection.isHeldBack) end(connection, 'slow');
    else void this.#goBack(connection);
  }

  #send(connection: Connection, { chunk, count, lastSentSeq, end }: JoinedFrames): void {
    connection.cursor = end;
    if (chunk === null) return;
    this.#delivered += count;
    connection.toldSeq = lastSentSeq;
    connection.sink.write(chunk);
  }

  /** Replays what lies behind the ring, then goes on from it. */
  async #goBack(connection: Connection): Promise<void> {
    connection.state = 'replaying';
    try {
      await this.#replay(connection);
      if (connection.state !== 'replaying') return;
      connection.state = 'live';
      this.#follow(connection);
    } catch (error) {
      this.#deps.end(connection, error instanceof LogDiscontinuityError ? 'resync' : 'unavailable');
    }
  }
}
