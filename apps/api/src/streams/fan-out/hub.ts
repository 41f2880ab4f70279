import type { LogPosition } from '@widget-service/shared/domain/log-position.ts';
import type { Clock } from '@widget-service/shared/runtime/clock.ts';
import type { OpenStreams } from '../../revocation/entitlement-checks.ts';
import type { EntitlementDecision, StreamEntitlement } from '../../revocation/stream-entitlement.ts';
import { type ClosingReason, closingRules } from './closing-rules.ts';
import { type Connection, closingChunkFor, jittered } from './connection.ts';
import { makeSweep, type SweepOptions, sweepIntervalMs } from './connection-sweep.ts';
import { Feeds } from './feed.ts';
import { nextHeartbeatDelayMs } from './heartbeat.ts';
import type { makeReadLog } from './log-reader.ts';
import type { Ring } from './ring.ts';
import type { Sink } from './socket-sink.ts';
import { type SentTotals, StreamFeeder } from './stream-feeder.ts';

/** Limits and intervals of the streams; from the settings. */
export interface HubOptions extends SweepOptions {
  /** How long a stream may stay open, in milliseconds. Each stream gets a jitter of ± 20 %. */
  readonly lifetimeMs: number;
  /** From this many unsent bytes on, the hub writes nothing more to a connection. */
  readonly unsentLimitBytes: number;
}

export interface HubDeps {
  readonly ring: Ring;
  readonly readLog: ReturnType<typeof makeReadLog>;
  readonly clock: Clock;
  readonly options: HubOptions;
  /** Called after each sweep with what was written since the last one. */
  readonly onSweep: (sent: SentTotals) => void;
}

/** A stream to join. Its headers and opening messages have been written. */
export interface JoinRequest {
  /** See `Connection`, also for the next one. */
  readonly id: string;
  readonly address: string | null;
  readonly sink: Sink;
  readonly entitlement: StreamEntitlement;
  readonly epoch: string;
  /** The position of `stream.open`. */
  readonly cursor: { readonly ms: number; readonly seq: number };
  /** Called once, when the stream ends. */
  readonly onEnd: Connection['onEnd'];
}

/**
 * Holds the pod's open streams: joins them, applies entitlements and ends them. The `StreamFeeder` writes the events.
 */
export class Hub implements OpenStreams {
  readonly #deps: HubDeps;
  readonly #connections = new Set<Connection>();
  readonly #feeds: Feeds;
  readonly #feeder: StreamFeeder;
  readonly #sweepTimer: NodeJS.Timeout;
  #isClosed = false;

  constructor(deps: HubDeps) {
    this.#deps = deps;
    const { ring, readLog, clock, options, onSweep } = deps;
    this.#feeds = new Feeds(ring);
    const end = (connection: Connection, reason: ClosingReason) => this.#end(connection, reason);
    const { unsentLimitBytes } = options;
    const connections = this.#connections;
    this.#feeder = new StreamFeeder({ ring, readLog, clock, feeds: this.#feeds, connections, unsentLimitBytes, end });
    const sweep = makeSweep({ clock, options, end });
    this.#sweepTimer = setInterval(() => {
      sweep(this.#connections);
      onSweep(this.#feeder.takeSent());
    }, sweepIntervalMs(options));
  }

  /** How many streams are open. */
  size(): number {
    return this.#connections.size;
  }

  /**
   * Resolves in a time slice. The stream route waits for it before it opens a stream, because a crowd may connect at
   * once.
   */
  nextSlice(): Promise<void> {
    return this.#feeder.nextSlice();
  }

  /**
   * Accepts an opened stream. From here on only the hub writes to its sink. A stream of another epoch than the ring's
   * ends at once with `resync`, and a stream that joins a closed hub with `draining`.
   */
  join(request: JoinRequest): void {
    const { clock, options, ring } = this.#deps;
    const nowMs = clock.monotonicMs();
    const feed = this.#feeds.acquire(request.entitlement.filter);
    const connection: Connection = {
      ...request,
      openedAtMs: clock.now().getTime(),
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
    else this.#feeder.start(connection);
  }

  entitlements(): Iterable<StreamEntitlement> {
    return new Set([...this.#connections].map(({ entitlement }) => entitlement));
  }

  reevaluate(decide: (entitlement: StreamEntitlement) => EntitlementDecision): void {
    const decisions = new Map([...this.entitlements()].map((entitlement) => [entitlement, decide(entitlement)]));
    for (const connection of [...this.#connections]) {
      const decision = decisions.get(connection.entitlement) ?? connection.entitlement;
      if (decision === 'revoked' || decision === 'expired') this.#end(connection, decision);
      else this.#applyEntitlement(connection, decision);
    }
  }

  /** The open streams of a subscription. It looks at every stream of the pod, so call it only when somebody asks. */
  listConnections(subscriptionId: string): Connection[] {
    return [...this.#connections].filter((connection) => isOfSubscription(connection, subscriptionId));
  }

  /**
   * Ends one stream of a subscription, because an admin wants it. The reason is `lifetime`: the client may reconnect,
   * unless the subscription is revoked as well. Returns false if the pod has no such stream.
   */
  endConnection(subscriptionId: string, id: string): boolean {
    const connection = this.listConnections(subscriptionId).find((other) => other.id === id);
    if (connection === undefined) return false;
    this.#end(connection, 'lifetime');
    return true;
  }

  /** Returns how many streams have unsent bytes, and how many bytes these are in all. */
  measureUnsent(): { readonly streams: number; readonly bytes: number } {
    let streams = 0;
    let bytes = 0;
    for (const { sink } of this.#connections) {
      const unsentBytes = sink.unsentBytes();
      bytes += unsentBytes;
      if (unsentBytes > 0) streams += 1;
    }
    return { streams, bytes };
  }

  /**
   * Schedules a fan-out. To be called when the ring has new frames. Calls `onFannedOut` when these frames were written
   * to every stream that had caught up.
   */
  notify(onFannedOut?: () => void): void {
    this.#feeder.notify(onFannedOut);
  }

  /**
   * Finds streams at positions that the log has lost. Call it before you read the log's end, and call the returned
   * function with that end. The returned function ends, with `resync`, the streams that were ahead of `position` at the
   * first call and are ahead of the end. It leaves open a stream that joined in between: that one may be at an event
   * that was appended after the end was read.
   */
  trackStreamsAheadOf(position: LogPosition): (end: LogPosition) => void {
    const ahead = [...this.#connections].filter(({ cursor }) => cursor.seq > position.seq);
    return (end) => {
      for (const connection of ahead) if (connection.cursor.seq > end.seq) this.#end(connection, 'resync');
    };
  }

  /** Ends every stream immediately. */
  endAll(reason: ClosingReason): void {
    for (const connection of [...this.#connections]) this.#end(connection, reason);
  }

  /**
   * Ends every stream with `draining`, spread at random over `windowMs` milliseconds, so that the clients do not
   * reconnect all at once.
   */
  async drain(windowMs: number): Promise<void> {
    const steps = Math.max(1, Math.round(windowMs / 100));
    for (let remaining = steps; remaining > 0 && this.#connections.size > 0; remaining -= 1) {
      for (const connection of [...this.#connections]) {
        if (Math.random() < 1 / remaining) this.#end(connection, 'draining');
      }
      if (remaining > 1) await this.#deps.clock.sleep(windowMs / steps);
    }
  }

  /** Stops the timer and ends the remaining streams with `draining`. A stream that joins later ends at once. */
  close(): void {
    this.#isClosed = true;
    clearInterval(this.#sweepTimer);
    this.endAll('draining');
  }

  #applyEntitlement(connection: Connection, entitlement: StreamEntitlement): void {
    if (entitlement === connection.entitlement) return;
    const { clock, options } = this.#deps;
    // Acquires before it releases, so that an equal filter keeps its feed.
    const feed = this.#feeds.acquire(entitlement.filter);
    this.#feeds.release(connection.feed);
    connection.entitlement = entitlement;
    if (feed === connection.feed) return;
    connection.feed = feed;
    connection.heartbeatAtMs = clock.monotonicMs() + nextHeartbeatDelayMs(feed, options.heartbeatIntervalMs);
    // The unsent bytes passed the old filter, and the new one may not allow them.
    if (connection.sink.unsentBytes() > 0) this.#end(connection, 'resync', true);
  }

  #end(connection: Connection, reason: ClosingReason, dropsUnsent = closingRules[reason].dropsUnsent): void {
    if (connection.state === 'closed') return;
    this.#remove(connection, reason);
    if (dropsUnsent && connection.sink.unsentBytes() > 0) connection.sink.destroy();
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

function isOfSubscription({ entitlement: { holder } }: Connection, subscriptionId: string): boolean {
  return holder.kind === 'subscription' && holder.id === subscriptionId;
}
