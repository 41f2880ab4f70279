import type { LogPosition } from '@widget-service/shared/domain/cursor.ts';
import type { Clock } from '@widget-service/shared/runtime/clock.ts';
import { type Connection, heartbeatAfterMs, jittered, lastWordsOf } from './connection.ts';
import { Feeds } from './feed.ts';
import { Feeder } from './feeder.ts';
import type { ClosingReason } from './frame.ts';
import type { createLogReader } from './log-reader.ts';
import type { Sink } from './response-sink.ts';
import type { Ring } from './ring.ts';
import type { Reconsidered, StreamRight } from './stream-right.ts';
import { createSweep, type SweepOptions, sweepEveryMs } from './sweep.ts';

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

/** For these, what lies unsent must not or need not go out: the client then learns of the end by the end alone. */
const dropsUnsent: readonly ClosingReason[] = ['slow', 'revoked', 'expired'];

/** Holds the pod's open streams: who joins, what each stands on, when it ends. What they are sent is the feeder's. */
export class Hub {
  readonly #deps: HubDeps;
  readonly #connections = new Set<Connection>();
  readonly #feeds: Feeds;
  readonly #feeder: Feeder;
  readonly #sweepTimer: NodeJS.Timeout;
  #isClosed = false;

  constructor(deps: HubDeps) {
    this.#deps = deps;
    const { ring, readLog, clock, options, onDelivered } = deps;
    this.#feeds = new Feeds(ring);
    const end = (connection: Connection, reason: ClosingReason) => this.#end(connection, reason);
    const { unsentLimitBytes } = options;
    const connections = this.#connections;
    this.#feeder = new Feeder({ ring, readLog, clock, feeds: this.#feeds, connections, unsentLimitBytes, end });
    const sweep = createSweep({ clock, options, end });
    this.#sweepTimer = setInterval(() => {
      onDelivered(this.#feeder.takeDelivered());
      sweep(this.#connections);
    }, sweepEveryMs(options));
  }

  size(): number {
    return this.#connections.size;
  }

  /** Resolves when it is a newcomer's turn to be opened: to be waited for by each, for they may come as a crowd. */
  turn(): Promise<void> {
    return this.#feeder.turn();
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
      lastTakenBytes: 0,
      lastProgressAtMs: nowMs,
    };
    this.#connections.add(connection);
    connection.sink.onClose(() => this.#remove(connection, 'client-left'));
    connection.sink.onDrain(() => this.#feeder.resume(connection));
    if (this.#isClosed) this.#end(connection, 'draining');
    else if (request.epoch !== ring.position()?.epoch) this.#end(connection, 'resync');
    else this.#feeder.begin(connection);
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
    this.#feeder.notify();
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
