import type { Clock } from '@widget-service/shared/runtime/clock.ts';
import { Chunk } from './chunk.ts';
import type { Connection } from './connection.ts';
import { type ClosingReason, closingBytes, type Frame, heartbeatBytes } from './frame.ts';
import { type JoinedFrames, joinFrom, joinPage } from './join-frames.ts';
import { type createLogReader, LogDiscontinuityError } from './log-reader.ts';
import type { Sink } from './response-sink.ts';
import type { Ring } from './ring.ts';

export interface HubOptions {
  readonly heartbeatIntervalMs: number;
  readonly lifetimeMs: number;
  readonly unsentLimitBytes: number;
  readonly stallMs: number;
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
  readonly epoch: string;
  readonly cursor: { readonly ms: number; readonly seq: number };
  readonly onEnd: Connection['onEnd'];
}

/** A fan-out lets other work in after so many connections. */
const connectionsPerTurn = 500;

/**
 * Holds the pod's open streams and moves each forward through the log: from the ring while it can, from the log itself
 * where it lies further behind. What arrived in one turn of the event loop goes out as one write per connection.
 */
export class Hub {
  readonly #deps: HubDeps;
  readonly #connections = new Set<Connection>();
  readonly #sweepTimer: NodeJS.Timeout;
  #isFanningOut = false;
  #hasNews = false;
  #delivered = 0;

  constructor(deps: HubDeps) {
    this.#deps = deps;
    const everyMs = Math.min(1_000, Math.max(50, deps.options.heartbeatIntervalMs / 4));
    this.#sweepTimer = setInterval(() => this.#sweep(), everyMs);
  }

  size(): number {
    return this.#connections.size;
  }

  /** Takes over an opened stream: from here on only the hub writes to it. */
  join(request: JoinRequest): void {
    const { clock, options } = this.#deps;
    const nowMs = clock.monotonicMs();
    const connection: Connection = {
      sink: request.sink,
      cursor: { ...request.cursor },
      state: 'live',
      isHeldBack: false,
      wake: () => undefined,
      heartbeatAtMs: nowMs + jittered(options.heartbeatIntervalMs),
      endsAtMs: nowMs + jittered(options.lifetimeMs),
      lastUnsentBytes: 0,
      lastProgressAtMs: nowMs,
      onEnd: request.onEnd,
    };
    this.#connections.add(connection);
    connection.sink.onClose(() => this.#remove(connection, 'client-left'));
    connection.sink.onDrain(() => {
      if (connection.state === 'live') this.#pump(connection);
      else connection.wake();
    });
    if (request.epoch !== this.#deps.ring.position()?.epoch) this.#end(connection, 'resync');
    else if (this.#deps.ring.reaches(connection.cursor.seq + 1)) this.#pump(connection);
    else void this.#replay(connection, request.epoch);
  }

  /** Tells that the ring has new frames. */
  notify(): void {
    this.#hasNews = true;
    if (this.#isFanningOut) return;
    this.#isFanningOut = true;
    setImmediate(() => void this.#fanOut());
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

  /** Ends every stream that is left and stops the timers. */
  close(): void {
    clearInterval(this.#sweepTimer);
    this.endAll('draining');
  }

  async #fanOut(): Promise<void> {
    while (this.#hasNews) {
      this.#hasNews = false;
      const joined = new Map<number, JoinedFrames>();
      let count = 0;
      for (const connection of this.#connections) {
        if (connection.state !== 'live') continue;
        this.#pump(connection, joined);
        count += 1;
        if (count % connectionsPerTurn === 0) await new Promise((resolve) => setImmediate(resolve));
      }
    }
    this.#isFanningOut = false;
  }

  /**
   * Writes what the ring has for this connection, as far as its socket takes it. `joined` remembers, for one fan-out,
   * what was joined for cursors at the same place: all that have caught up share one buffer.
   */
  #pump(connection: Connection, joined?: Map<number, JoinedFrames>): void {
    const { ring, options } = this.#deps;
    while (connection.sink.unsentBytes() < options.unsentLimitBytes) {
      const nextSeq = connection.cursor.seq + 1;
      if (nextSeq > (ring.position()?.seq ?? 0)) {
        connection.isHeldBack = false;
        return;
      }
      if (ring.at(nextSeq) === undefined) {
        this.#fallBehind(connection);
        return;
      }
      const known = joined?.get(nextSeq);
      const { chunk, last } = known ?? joinFrom(ring, nextSeq);
      if (known === undefined) joined?.set(nextSeq, { chunk, last });
      this.#send(connection, chunk, last);
    }
    connection.isHeldBack = true;
  }

  /** More came at once than the ring holds: who took all there was goes on from the log, who did not is cut. */
  #fallBehind(connection: Connection): void {
    const epoch = this.#deps.ring.position()?.epoch;
    if (connection.isHeldBack || epoch === undefined) this.#end(connection, 'slow');
    else void this.#replay(connection, epoch);
  }

  #send(connection: Connection, chunk: Chunk, last: Frame): void {
    this.#delivered += last.seq - connection.cursor.seq;
    connection.cursor = { ms: last.ms, seq: last.seq };
    connection.sink.write(chunk);
  }

  /** Feeds a connection from the log until it is inside the ring, each page as the socket takes it. */
  async #replay(connection: Connection, epoch: string): Promise<void> {
    connection.state = 'replaying';
    try {
      while (connection.state === 'replaying') {
        const frames = await this.#deps.readLog({ epoch, ...connection.cursor });
        if (frames.length === 0) throw new LogDiscontinuityError();
        await this.#writePage(connection, frames);
        if (this.#deps.ring.reaches(connection.cursor.seq + 1)) break;
      }
      if (connection.state !== 'replaying') return;
      connection.state = 'live';
      this.#pump(connection);
    } catch (error) {
      this.#end(connection, error instanceof LogDiscontinuityError ? 'resync' : 'unavailable');
    }
  }

  async #writePage(connection: Connection, frames: readonly Frame[]): Promise<void> {
    for (const { chunk, last } of joinPage(frames)) {
      await this.#untilWritable(connection);
      if (connection.state === 'closed') return;
      this.#send(connection, chunk, last);
    }
  }

  async #untilWritable(connection: Connection): Promise<void> {
    while (connection.state !== 'closed' && connection.sink.unsentBytes() >= this.#deps.options.unsentLimitBytes) {
      await new Promise<void>((resolve) => {
        connection.wake = resolve;
      });
    }
  }

  /** Heartbeats, lifetimes and clients that take nothing. */
  #sweep(): void {
    const { clock, options } = this.#deps;
    const nowMs = clock.monotonicMs();
    const heartbeat = new Chunk(heartbeatBytes);
    this.#deps.onDelivered(this.#delivered);
    this.#delivered = 0;
    for (const connection of this.#connections) {
      const unsentBytes = connection.sink.unsentBytes();
      if (unsentBytes === 0 || unsentBytes < connection.lastUnsentBytes) connection.lastProgressAtMs = nowMs;
      connection.lastUnsentBytes = unsentBytes;
      if (nowMs - connection.lastProgressAtMs >= options.stallMs) this.#end(connection, 'slow');
      else if (nowMs >= connection.endsAtMs) this.#end(connection, 'lifetime');
      else if (nowMs >= connection.heartbeatAtMs) {
        connection.heartbeatAtMs = nowMs + jittered(options.heartbeatIntervalMs);
        if (unsentBytes === 0) connection.sink.write(heartbeat);
      }
    }
  }

  #end(connection: Connection, reason: ClosingReason): void {
    if (connection.state === 'closed') return;
    this.#remove(connection, reason);
    // A client that takes nothing would keep its socket for ever: it learns of the end by the end alone.
    if (reason === 'slow' && connection.sink.unsentBytes() > 0) connection.sink.destroy();
    else connection.sink.end(new Chunk(closingBytes(reason)));
  }

  #remove(connection: Connection, reason: ClosingReason | 'client-left'): void {
    if (connection.state === 'closed') return;
    connection.state = 'closed';
    this.#connections.delete(connection);
    connection.wake();
    connection.onEnd(reason);
  }
}

/** ± 20 %, so that connections opened together do not stay in step. */
function jittered(ms: number): number {
  return ms * (0.8 + Math.random() * 0.4);
}
