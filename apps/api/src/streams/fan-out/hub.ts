import type { Clock } from '@widget-service/shared/runtime/clock.ts';
import type { OpenStreams } from '../../revocation/recheck-open-streams.ts';
import type { EntitlementVerdict, StreamEntitlement } from '../../revocation/stream-entitlement.ts';
import type { JoinedFrames } from './chunk.ts';
import { type ClosingReason, sendClosing } from './closing-rules.ts';
import {
  type Connection,
  type ConnectionTimes,
  createConnection,
  type JoinRequest,
  nextHeartbeatDelayMs,
  sweep,
  sweepIntervalMs,
} from './connection.ts';
import { Feeds } from './feed.ts';
import type { Frame } from './frame.ts';
import type { makeReadLog } from './log-reader.ts';
import { makeReplay } from './replay.ts';
import type { Ring } from './ring.ts';
import { hasFallenBehind, isFull, type SlowClientLimits, updateBackpressure } from './slow-client.ts';
import { TimeSlicer } from './time-slicer.ts';

/** Limits and intervals of the streams. */
export type HubOptions = ConnectionTimes & SlowClientLimits;

export interface HubDeps {
  readonly ring: Ring;
  readonly readLog: ReturnType<typeof makeReadLog>;
  readonly clock: Clock;
  readonly options: HubOptions;
  /** Called after each sweep with what was written since the last one. */
  readonly onSweep: (sent: SentTotals) => void;
}

/** What the hub has written. An event counts once per connection. */
interface SentTotals {
  events: number;
  /** Bytes of the events, without HTTP's chunk framing. */
  bytes: number;
}

/** A fan-out yields to other work of the process after this many connections. */
const connectionsPerYield = 500;

/**
 * The pod's open streams. The hub moves each connection forward through the log as far as its socket accepts bytes:
 * from the ring if the ring covers the cursor, otherwise from the log (replay).
 *
 * New frames go out at once, as one write to each connection that has caught up (fan-out). The other connections are
 * written to in time slices (ADR 9).
 */
export class Hub implements OpenStreams {
  readonly #deps: HubDeps;
  readonly #connections = new Set<Connection>();
  readonly #feeds: Feeds;
  readonly #slicer: TimeSlicer;
  readonly #replay: ReturnType<typeof makeReplay>;
  readonly #sweepTimer: NodeJS.Timeout;
  #sent: SentTotals = { events: 0, bytes: 0 };
  #isFanningOut = false;
  #hasNewFrames = false;
  #onFannedOut: (() => void)[] = [];
  #isClosed = false;

  constructor(deps: HubDeps) {
    this.#deps = deps;
    const { ring, readLog, clock, options, onSweep } = deps;
    this.#feeds = new Feeds(ring);
    this.#slicer = new TimeSlicer(clock, () => this.#feeds.clearCaches());
    const end = this.end.bind(this);
    const send = this.#send.bind(this);
    const startLive = this.#startLive.bind(this);
    this.#replay = makeReplay({ ring, readLog, slicer: this.#slicer, options, send, startLive, end });
    this.#sweepTimer = setInterval(() => {
      sweep(this.#connections, clock, options, end);
      onSweep(this.#sent);
      this.#sent = { events: 0, bytes: 0 };
    }, sweepIntervalMs(options.heartbeatIntervalMs));
  }

  /** How many streams are open. */
  size(): number {
    return this.#connections.size;
  }

  /** How many of them are streams of sessions, not of subscriptions. */
  countPersonal(): number {
    let count = 0;
    for (const { entitlement } of this.#connections) if (entitlement.holder.kind === 'session') count += 1;
    return count;
  }

  /** The open streams: a live view, not a copy. */
  connections(): Iterable<Connection> {
    return this.#connections;
  }

  /** Resolves when a time slice is free: a crowd of clients must not open all its streams at once. */
  nextSlice(): Promise<void> {
    return this.#slicer.nextSlice();
  }

  /**
   * Adds an opened stream. From here on only the hub writes to its sink. Ends the stream at once with `resync` if its
   * epoch is not the ring's, and with `draining` if the hub is closed.
   */
  join(request: JoinRequest): void {
    const { clock, options, ring } = this.#deps;
    const connection = createConnection(request, this.#feeds.acquire(request.entitlement.filter), clock, options);
    this.#connections.add(connection);
    connection.sink.onClose(() => this.#remove(connection, 'client-left'));
    connection.sink.onDrain(() => {
      if (connection.state === 'live') this.#scheduleWrite(connection);
      else connection.wake();
    });
    if (this.#isClosed) this.end(connection, 'draining');
    else if (request.epoch !== ring.position()?.epoch) this.end(connection, 'resync');
    else if (ring.canServeFrom(connection.cursor.seq + 1)) this.#startLive(connection);
    else void this.#replay(connection);
  }

  entitlements(): Iterable<StreamEntitlement> {
    return new Set([...this.#connections].map(({ entitlement }) => entitlement));
  }

  reevaluate(judge: (entitlement: StreamEntitlement) => EntitlementVerdict): void {
    const verdicts = new Map([...this.entitlements()].map((entitlement) => [entitlement, judge(entitlement)]));
    for (const connection of [...this.#connections]) {
      const verdict = verdicts.get(connection.entitlement);
      if (verdict?.status === 'ok') this.#applyEntitlement(connection, verdict.entitlement);
      else if (verdict !== undefined) this.end(connection, verdict.status);
    }
  }

  /**
   * Schedules a fan-out of the ring's new frames. Calls `onFannedOut` when they are written to every connection that
   * has caught up.
   */
  notify(onFannedOut?: () => void): void {
    this.#hasNewFrames = true;
    if (onFannedOut !== undefined) this.#onFannedOut.push(onFannedOut);
    if (this.#isFanningOut) return;
    this.#isFanningOut = true;
    setImmediate(() => void this.#fanOut());
  }

  /** Ends a stream, unless it has ended already. */
  end(connection: Connection, reason: ClosingReason): void {
    if (connection.state === 'closed') return;
    this.#remove(connection, reason);
    sendClosing(connection, reason);
  }

  endById(id: string): boolean {
    const connection = [...this.#connections].find((open) => open.id === id);
    if (connection !== undefined) this.end(connection, 'lifetime');
    return connection !== undefined;
  }

  /** Ends every stream immediately. */
  endAll(reason: ClosingReason): void {
    for (const connection of [...this.#connections]) this.end(connection, reason);
  }

  /**
   * Ends every stream with `draining`, spread at random over `windowMs` milliseconds, so that the clients do not
   * reconnect all at once.
   */
  async drain(windowMs: number): Promise<void> {
    const steps = Math.max(1, Math.round(windowMs / 100));
    for (let remaining = steps; remaining > 0 && this.#connections.size > 0; remaining -= 1) {
      for (const connection of [...this.#connections]) {
        if (Math.random() < 1 / remaining) this.end(connection, 'draining');
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

  async #fanOut(): Promise<void> {
    while (this.#hasNewFrames) {
      this.#hasNewFrames = false;
      const onFannedOut = this.#onFannedOut;
      this.#onFannedOut = [];
      let count = 0;
      for (const connection of this.#connections) {
        if (connection.state !== 'live' || connection.isScheduled) continue;
        if (this.#writeOnce(connection)) this.#scheduleWrite(connection);
        count += 1;
        if (count % connectionsPerYield === 0) await new Promise((resolve) => setImmediate(resolve));
      }
      this.#feeds.clearCaches();
      for (const listener of onFannedOut) listener();
    }
    this.#isFanningOut = false;
  }

  /** Feeds the connection from the ring from here on. */
  #startLive(connection: Connection): void {
    connection.state = 'live';
    if (this.#findNext(connection) !== null) this.#scheduleWrite(connection);
  }

  /**
   * Writes the ring's frames to the connection, in time slices, until its buffer is full. After each write the
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
   * Writes once to the connection, unless its buffer is full. Returns true if the ring has more frames for it and its
   * buffer is still not full.
   */
  #writeOnce(connection: Connection): boolean {
    const { ring, options } = this.#deps;
    if (isFull(connection, options)) {
      connection.isBackpressured = true;
      return false;
    }
    const next = this.#findNext(connection);
    if (next === null) return false;
    this.#send(connection, connection.feed.joinFrom(next));
    const isAtEnd = ring.after(connection.cursor) === 'at-end';
    updateBackpressure(connection, options, isAtEnd);
    return !isAtEnd && !isFull(connection, options);
  }

  /** Returns the ring's next frame for the connection, or null. Then it replays or ends the connection if need be. */
  #findNext(connection: Connection): Frame | null {
    const next = this.#deps.ring.after(connection.cursor);
    if (typeof next !== 'string') return next;
    if (next === 'at-end') connection.isBackpressured = false;
    else if (next === 'diverged') this.end(connection, 'resync');
    else if (hasFallenBehind(connection)) this.end(connection, 'slow');
    else void this.#replay(connection);
    return null;
  }

  #send(connection: Connection, { chunk, count, lastSentSeq, end }: JoinedFrames): void {
    connection.cursor = end;
    if (chunk === null) return;
    this.#sent.events += count;
    this.#sent.bytes += chunk.plain.length;
    connection.announcedSeq = lastSentSeq;
    connection.sink.write(chunk);
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
    // The unsent bytes passed the old filter, but may not pass the new one.
    if (connection.sink.unsentBytes() === 0) return;
    this.#remove(connection, 'resync');
    connection.sink.destroy();
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
