import type { LogPosition } from '@widget-service/shared/domain/cursor.ts';
import type { Clock } from '@widget-service/shared/runtime/clock.ts';
import { type Connection, heartbeatAfterMs, jittered, lastWordsOf } from './connection.ts';
import { Feeds } from './feed.ts';
import type { ClosingReason } from './frame.ts';
import type { JoinedFrames } from './join-frames.ts';
import { type createLogReader, LogDiscontinuityError } from './log-reader.ts';
import { createReplay } from './replay.ts';
import type { Sink } from './response-sink.ts';
import type { Ring } from './ring.ts';
import type { Reconsidered, StreamRight } from './stream-right.ts';
import { createSweep, type SweepOptions, sweepEveryMs } from './sweep.ts';
import { Turns } from './turns.ts';

export interface HubOptions extends SweepOptions {
  readonly lifetimeMs: number;
  readonly unsentLimitBytes: number;
}

export interface HubDeps {
  readonly ring: Ring;
  readonly readLog: ReturnType<typeof createLogReader>;
  readonly clock: Clock;
  readonly options: HubOptions;
  /** Told now and then how many events were written since the last time, each connection counted. */
  readonly onDelivered: (events: number) => void;
}

export interface JoinRequest {
  readonly sink: Sink;
  readonly right: StreamRight;
  readonly epoch: string;
  readonly cursor: { readonly ms: number; readonly seq: number };
  readonly onEnd: Connection['onEnd'];
}

/** A fan-out lets other work in after so many connections. */
const connectionsPerTurn = 500;
/** For these, what lies unsent must not or need not go out: the client then learns of the end by the end alone. */
const dropsUnsent: readonly ClosingReason[] = ['slow', 'revoked', 'expired'];

/**
 * Holds the pod's open streams and moves each forward through the log: from the ring while it can, from the log itself
 * where it lies further behind. What arrived in one turn of the event loop goes out as one write per connection.
 */
export class Hub {
  readonly #deps: HubDeps;
  readonly #connections = new Set<Connection>();
  readonly #feeds: Feeds;
  /** For those who have not caught up. */
  readonly #turns: Turns;
  readonly #replay: ReturnType<typeof createReplay>;
  readonly #sweepTimer: NodeJS.Timeout;
  #isFanningOut = false;
  #hasNews = false;
  #isClosed = false;
  #delivered = 0;

  constructor(deps: HubDeps) {
    this.#deps = deps;
    const { ring, readLog, clock, options, onDelivered } = deps;
    this.#feeds = new Feeds(ring);
    const turns = new Turns({ clock, onTurnEnd: () => this.#feeds.forget() });
    this.#turns = turns;
    const { unsentLimitBytes } = options;
    this.#replay = createReplay({ ring, readLog, turns, unsentLimitBytes, send: (...sent) => this.#send(...sent) });
    const sweep = createSweep({ clock, options, end: (connection, reason) => this.#end(connection, reason) });
    this.#sweepTimer = setInterval(() => {
      onDelivered(this.#delivered);
      this.#delivered = 0;
      sweep(this.#connections);
    }, sweepEveryMs(options));
  }

  size(): number {
    return this.#connections.size;
  }

  /** Resolves when it is a newcomer's turn to be opened: to be waited for by each, for they may come as a crowd. */
  turn(): Promise<void> {
    return this.#turns.take();
  }

  /** Takes over an opened stream: from here on only the hub writes to it. */
  join(request: JoinRequest): void {
    const { clock, options, ring } = this.#deps;
    const nowMs = clock.monotonicMs();
    const feed = this.#feeds.take(request.right.filter);
    const connection: Connection = {
      ...request,
      feed,
      toldSeq: request.cursor.seq,
      state: 'live',
      isHeldBack: false,
      isWaiting: false,
      wake: () => undefined,
      heartbeatAtMs: nowMs + heartbeatAfterMs(feed, options.heartbeatIntervalMs),
      endsAtMs: nowMs + jittered(options.lifetimeMs),
      lastUnsentBytes: 0,
      lastProgressAtMs: nowMs,
    };
    this.#connections.add(connection);
    connection.sink.onClose(() => this.#remove(connection, 'client-left'));
    connection.sink.onDrain(() => {
      if (connection.state === 'live') this.#goOn(connection);
      else connection.wake();
    });
    if (this.#isClosed) this.#end(connection, 'draining');
    else if (request.epoch !== ring.position()?.epoch) this.#end(connection, 'resync');
    else if (ring.reaches(connection.cursor.seq + 1)) this.#follow(connection);
    else void this.#goBack(connection);
  }

  /** What the open streams stand on; streams that were opened with one and the same right have it in common. */
  rights(): Iterable<StreamRight> {
    return new Set([...this.#connections].map(({ right }) => right));
  }

  /** Decides anew about every open stream. Nothing is written any more that its right, as it is now, does not allow. */
  reconsider(decide: (right: StreamRight) => Reconsidered): void {
    const decisions = new Map([...this.rights()].map((right) => [right, decide(right)]));
    for (const connection of [...this.#connections]) {
      const decision = decisions.get(connection.right) ?? connection.right;
      if (decision === 'revoked' || decision === 'expired') this.#end(connection, decision);
      else this.#give(connection, decision);
    }
  }

  /** Tells that the ring has new frames. */
  notify(): void {
    this.#hasNews = true;
    if (this.#isFanningOut) return;
    this.#isFanningOut = true;
    setImmediate(() => void this.#fanOut());
  }

  /**
   * To be called before the log is asked for its end. Returns what is to be called with the answer: it ends those streams
   * that had come further by then, because they stand in something that the log has lost.
   */
  findBeyond(position: LogPosition): (end: LogPosition) => void {
    const further = [...this.#connections].filter(({ cursor }) => cursor.seq > position.seq);
    return (end) => {
      for (const connection of further) if (connection.cursor.seq > end.seq) this.#end(connection, 'resync');
    };
  }

  /** Ends every stream, at once. */
  endAll(reason: ClosingReason): void {
    for (const connection of [...this.#connections]) this.#end(connection, reason);
  }

  /** Ends every stream, spread at random over `windowMs`, so that the clients do not come back all at once. */
  async drain(windowMs: number): Promise<void> {
    const slices = Math.max(1, Math.round(windowMs / 100));
    for (let left = slices; left > 0 && this.#connections.size > 0; left -= 1) {
      for (const connection of [...this.#connections]) {
        if (Math.random() < 1 / left) this.#end(connection, 'draining');
      }
      if (left > 1) await this.#deps.clock.sleep(windowMs / slices);
    }
  }

  /** Ends every stream that is left and stops the timers. Whoever joins later is ended at once. */
  close(): void {
    this.#isClosed = true;
    clearInterval(this.#sweepTimer);
    this.endAll('draining');
  }

  async #fanOut(): Promise<void> {
    while (this.#hasNews) {
      this.#hasNews = false;
      let count = 0;
      for (const connection of this.#connections) {
        if (connection.state !== 'live' || connection.isWaiting) continue;
        if (this.#writeOnce(connection)) this.#goOn(connection);
        count += 1;
        if (count % connectionsPerTurn === 0) await new Promise((resolve) => setImmediate(resolve));
      }
      this.#feeds.forget();
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
    const { ring, options } = this.#deps;
    const isFull = () => connection.sink.unsentBytes() >= options.unsentLimitBytes;
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
    if (why === 'none-yet') connection.isHeldBack = false;
    else if (why === 'other-history') this.#end(connection, 'resync');
    else if (connection.isHeldBack) this.#end(connection, 'slow');
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
      this.#end(connection, error instanceof LogDiscontinuityError ? 'resync' : 'unavailable');
    }
  }

  #give(connection: Connection, right: StreamRight): void {
    if (right === connection.right) return;
    const { clock, options } = this.#deps;
    const feed = this.#feeds.take(right.filter);
    this.#feeds.release(connection.feed);
    connection.right = right;
    if (feed === connection.feed) return;
    connection.feed = feed;
    connection.heartbeatAtMs = clock.monotonicMs() + heartbeatAfterMs(feed, options.heartbeatIntervalMs);
    // What lies unsent passed the filter as it was.
    if (connection.sink.unsentBytes() > 0) this.#end(connection, 'resync', true);
  }

  #end(connection: Connection, reason: ClosingReason, isUnsentDropped = dropsUnsent.includes(reason)): void {
    if (connection.state === 'closed') return;
    this.#remove(connection, reason);
    if (isUnsentDropped && connection.sink.unsentBytes() > 0) connection.sink.destroy();
    else connection.sink.end(lastWordsOf(connection, reason));
  }

  #remove(connection: Connection, reason: ClosingReason | 'client-left'): void {
    if (connection.state === 'closed') return;
    connection.state = 'closed';
    this.#connections.delete(connection);
    this.#feeds.release(connection.feed);
    connection.wake();
    connection.onEnd(reason);
  }
}
