import type { LogPosition } from '@widget-service/shared/domain/log-position.ts';
import type { Clock } from '@widget-service/shared/runtime/clock.ts';
import type { EntitlementDecision, StreamEntitlement } from '../auth/stream-entitlement.ts';
import { type Connection, closingChunkFor, jittered, nextHeartbeatDelayMs } from './connection.ts';
import { Feeds } from './feed.ts';
import type { ClosingReason } from './frame.ts';
import type { makeReadLog } from './log-reader.ts';
import type { Sink } from './response-sink.ts';
import type { Ring } from './ring.ts';
import { StreamFeeder } from './stream-feeder.ts';
import { makeSweep, type SweepOptions, sweepIntervalMs } from './sweep.ts';

export interface HubOptions extends SweepOptions {
  readonly lifetimeMs: number;
  readonly unsentLimitBytes: number;
}

export interface HubDeps {
  readonly ring: Ring;
  readonly readLog: ReturnType<typeof makeReadLog>;
  readonly clock: Clock;
  readonly options: HubOptions;
  /** Told now and then how many events were written since the last time, each connection counted. */
  readonly onEventsSent: (events: number) => void;
}

export interface JoinRequest {
  readonly sink: Sink;
  readonly entitlement: StreamEntitlement;
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
  readonly #feeder: StreamFeeder;
  readonly #sweepTimer: NodeJS.Timeout;
  #isClosed = false;

  constructor(deps: HubDeps) {
    this.#deps = deps;
    const { ring, readLog, clock, options, onEventsSent } = deps;
    this.#feeds = new Feeds(ring);
    const end = (connection: Connection, reason: ClosingReason) => this.#end(connection, reason);
    const { unsentLimitBytes } = options;
    const connections = this.#connections;
    this.#feeder = new StreamFeeder({ ring, readLog, clock, feeds: this.#feeds, connections, unsentLimitBytes, end });
    const sweep = makeSweep({ clock, options, end });
    this.#sweepTimer = setInterval(() => {
      onEventsSent(this.#feeder.takeSentCount());
      sweep(this.#connections);
    }, sweepIntervalMs(options));
  }

  size(): number {
    return this.#connections.size;
  }

  /** Resolves when it is a newcomer's turn to be opened: to be waited for by each, for they may come as a crowd. */
  nextSlice(): Promise<void> {
    return this.#feeder.nextSlice();
  }

  /** Takes over an opened stream: from here on only the hub writes to it. */
  join(request: JoinRequest): void {
    const { clock, options, ring } = this.#deps;
    const nowMs = clock.monotonicMs();
    const feed = this.#feeds.acquire(request.entitlement.filter);
    const connection: Connection = {
      ...request,
      feed,
      announcedSeq: request.cursor.seq,
      state: 'live',
      isBackpressured: false,
      isScheduled: false,
      wake: () => undefined,
      heartbeatAtMs: nowMs + nextHeartbeatDelayMs(feed, options.heartbeatIntervalMs),
      endsAtMs: nowMs + jittered(options.lifetimeMs),
      lastSentBytes: 0,
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
  entitlements(): Iterable<StreamEntitlement> {
    return new Set([...this.#connections].map(({ entitlement }) => entitlement));
  }

  /** Decides anew about every open stream. Nothing is written any more that its right, as it is now, does not allow. */
  reevaluate(decide: (right: StreamEntitlement) => EntitlementDecision): void {
    const decisions = new Map([...this.entitlements()].map((right) => [right, decide(right)]));
    for (const connection of [...this.#connections]) {
      const decision = decisions.get(connection.entitlement) ?? connection.entitlement;
      if (decision === 'revoked' || decision === 'expired') this.#end(connection, decision);
      else this.#applyEntitlement(connection, decision);
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
  trackStreamsAheadOf(position: LogPosition): (end: LogPosition) => void {
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

  #applyEntitlement(connection: Connection, right: StreamEntitlement): void {
    if (right === connection.entitlement) return;
    const { clock, options } = this.#deps;
    const feed = this.#feeds.acquire(right.filter);
    this.#feeds.release(connection.feed);
    connection.entitlement = right;
    if (feed === connection.feed) return;
    connection.feed = feed;
    connection.heartbeatAtMs = clock.monotonicMs() + nextHeartbeatDelayMs(feed, options.heartbeatIntervalMs);
    // What lies unsent passed the filter as it was.
    if (connection.sink.unsentBytes() > 0) this.#end(connection, 'resync', true);
  }

  #end(connection: Connection, reason: ClosingReason, isUnsentDropped = dropsUnsent.includes(reason)): void {
    if (connection.state === 'closed') return;
    this.#remove(connection, reason);
    if (isUnsentDropped && connection.sink.unsentBytes() > 0) connection.sink.destroy();
    else connection.sink.end(closingChunkFor(connection, reason));
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
