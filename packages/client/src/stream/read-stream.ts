import { checkCount, checkDuration, computeReconnectDelayMs, limitRetry, maxForeignDelayMs, wait } from '../delays.ts';
import { parseAddress, readFailureKind } from '../requests/failures.ts';
import { globalFetch } from '../requests/send.ts';
import {
  isWidgetEvent,
  MalformedEventError,
  type Position,
  parseStreamEvent,
  type StreamEvent,
} from './stream-event.ts';
import {
  type Batch,
  type Connection,
  openByFetch,
  StreamEndedError,
  type StreamEndReason,
  type Transport,
} from './transport.ts';

/**
 * The URL of a stream, or a function that returns a new one. The function is called at the start, and whenever the
 * service does not accept the last URL any more.
 */
export type StreamUrl = string | (() => string | Promise<string>);

/** Keeps the position of a stream, so that it continues there after the program has stopped. */
export interface PositionStore {
  /** Called once, at the start. Null: nothing was kept. */
  load(): Position | null | Promise<Position | null>;
  /** Called after your code has processed an event, that is, when it asks for the next one. */
  save(position: Position): void | Promise<void>;
}

/** What the client does now. */
export type StreamState =
  | { readonly name: 'connecting' }
  | { readonly name: 'open' }
  /** A heartbeat is overdue. Back to `open` when something arrives, else it connects again. */
  | { readonly name: 'silent' }
  /** Waits `delayMs` before it connects again. `cause` is what has broken, or null after an orderly end. */
  | { readonly name: 'waiting'; readonly delayMs: number; readonly cause: unknown };

/** How to read a stream. */
export interface StreamOptions {
  /** Ends the stream: the iteration then throws the signal's reason. */
  readonly signal?: AbortSignal;
  /** Where to start: a position, or `earliest` for everything that is kept. By default, at the present. */
  readonly position?: Position | null;
  /** Where to keep the position. A position that it holds is preferred to `position`. */
  readonly positions?: PositionStore;
  /** Called at each change of the state. */
  readonly onState?: (state: StreamState) => void;
  /** How many ids of events it remembers, to drop repetitions. Default: 10 000. */
  readonly rememberedIds?: number;
  /** How long a response may take, in milliseconds. Default: 10 000. */
  readonly openTimeoutMs?: number;
  /** By default: the global `fetch`. */
  readonly fetch?: typeof globalThis.fetch;
  /** Replaces `fetch`, where a runtime cannot read a response while it arrives. */
  readonly transport?: Transport;
}

/** Used until the service sends `retry:` or its heartbeat. */
const defaultRetryMs = 3_000;
const defaultHeartbeatMs = 15_000;
/** A heartbeat is due within 1.2 intervals. After these it is overdue: the state becomes `silent`. */
const overdueIntervals = 4 / 3;
/** After these without a heartbeat the connection is dead. */
const silentIntervals = 2.5;
/** How many new URLs in a row may be refused before it gives up. */
const maxRefusedUrls = 3;

/**
 * Reads a stream of events. Connects again after every break, at the position of the last event, so that you miss
 * nothing; if something is missing nevertheless, you get `stream.gap`. Drops events that you have seen, until a gap
 * says that the event log has lost events (`epoch-changed`, `ahead-of-stream`): what comes then may be new although its
 * id is not.
 *
 * It reads only as fast as you ask for events. End it with `break`, or with `signal`.
 *
 * @throws {InvalidCallError} if the URL or an option is invalid.
 * @throws {UnreachableError} if the certificate at the URL is not trusted.
 * @throws {UnexpectedResponseError} if the URL redirects for good.
 * @throws {StreamEndedError} when the URL is not valid any more.
 */
export async function* readStream(
  url: StreamUrl,
  options: StreamOptions = {},
): AsyncGenerator<StreamEvent, never, void> {
  // Aborted at the end of the iteration, so that a `break` closes the connection.
  const stop = new AbortController();
  const onAbort = () => stop.abort(options.signal?.reason);
  options.signal?.throwIfAborted();
  options.signal?.addEventListener('abort', onAbort, { once: true });
  const reader = new StreamReader(url, options, stop.signal);
  try {
    await reader.loadPosition();
    for (;;) yield* reader.readOneConnection();
  } finally {
    options.signal?.removeEventListener('abort', onAbort);
    stop.abort();
  }
}

class StreamReader {
  readonly #url: StreamUrl;
  readonly #options: StreamOptions;
  readonly #signal: AbortSignal;
  readonly #transport: Transport;
  readonly #recentIds: RecentIds;
  #currentUrl: string | null = null;
  #position: Position | null;
  #retryMs = defaultRetryMs;
  #heartbeatMs = defaultHeartbeatMs;
  /** Whether the current connection has delivered `stream.open`. */
  #isOpen = false;
  /** Attempts in a row that did not open. */
  #failures = 0;
  #refusedUrls = 0;

  constructor(url: StreamUrl, options: StreamOptions, signal: AbortSignal) {
    this.#url = typeof url === 'string' ? parseStreamUrl(url) : url;
    this.#options = options;
    this.#signal = signal;
    this.#position = options.position ?? null;
    this.#recentIds = new RecentIds(checkCount('rememberedIds', options.rememberedIds ?? 10_000, 0));
    const { fetch = globalFetch, transport } = options;
    const openTimeoutMs = checkDuration('openTimeoutMs', options.openTimeoutMs ?? 10_000);
    this.#transport = transport ?? { open: (...given) => openByFetch(...given, fetch, openTimeoutMs) };
  }

  async loadPosition(): Promise<void> {
    this.#position = (await this.#options.positions?.load()) ?? this.#position;
  }

  /** Opens a connection, delivers its events, and waits until the next connection is due. */
  async *readOneConnection(): AsyncGenerator<StreamEvent, void, void> {
    this.#isOpen = false;
    this.#report({ name: 'connecting' });
    const connection = await this.#open();
    if (connection === null) return;
    let read: ReadResult = { status: 'ended', cause: null };
    let endReason: StreamEndReason | null = null;
    // Until an event arrives: a proxy may open streams that say nothing.
    this.#failures += 1;
    try {
      for (read = await this.#read(connection); read.status === 'batch'; read = await this.#read(connection)) {
        const { messages, retryMs } = read.batch;
        if (retryMs !== null) this.#retryMs = limitRetry(retryMs);
        for (const message of messages) {
          const event = parseStreamEvent(message);
          if (event === null) continue;
          this.#beforeEvent(event);
          if (!isWidgetEvent(event) || this.#recentIds.add(event.id)) yield event;
          await this.#afterEvent(event);
          endReason = readEndReason(event) ?? endReason;
        }
      }
    } catch (cause) {
      if (!(cause instanceof MalformedEventError)) throw cause;
      this.#failures += 1;
      read = { status: 'ended', cause };
    } finally {
      connection.close();
    }
    if (endReason !== null) await this.#renewUrl(new StreamEndedError(endReason));
    else await this.#waitToReconnect(read.cause, 0);
  }

  /** Returns null if it could not connect. It has waited then. */
  async #open(): Promise<Connection | null> {
    const url = await this.#getUrl();
    if (url === null) return null;
    const outcome = await this.#transport.open(addPosition(url, this.#position), this.#signal);
    if (outcome.status === 'open') return outcome.connection;
    this.#failures += 1;
    if (outcome.status === 'ended') await this.#renewUrl(outcome.error);
    else if (readFailureKind(outcome.cause) === 'caller') throw outcome.cause;
    else await this.#waitToReconnect(outcome.cause, outcome.retryAfterMs);
    return null;
  }

  /** Returns null if no URL is to be had at present. It has waited then. */
  async #getUrl(): Promise<string | null> {
    if (typeof this.#url === 'string') return this.#url;
    try {
      this.#currentUrl ??= parseStreamUrl(await this.#url());
      return this.#currentUrl;
    } catch (error) {
      this.#signal.throwIfAborted();
      const kind = readFailureKind(error);
      if (kind === 'caller' || kind === 'refusal') throw error;
      this.#failures += 1;
      await this.#waitToReconnect(error, 0);
      return null;
    }
  }

  /** The URL is not valid any more. Throws, unless there may be another one. */
  async #renewUrl(error: StreamEndedError): Promise<void> {
    if (typeof this.#url === 'string' || this.#refusedUrls >= maxRefusedUrls) throw error;
    this.#currentUrl = null;
    this.#refusedUrls += 1;
    // The first new URL is due at once. If that is refused as well, something else is wrong.
    if (this.#refusedUrls > 1) await this.#waitToReconnect(error, 0);
  }

  async #read(connection: Connection): Promise<ReadResult> {
    let isSilent = false;
    const timer = this.#isHeartbeatKnown(connection)
      ? setTimeout(() => {
          isSilent = true;
          this.#report({ name: 'silent' });
        }, overdueIntervals * this.#heartbeatMs)
      : undefined;
    try {
      const batch = await connection.read(silentIntervals * this.#heartbeatMs);
      if (batch === null) return { status: 'ended', cause: null };
      if (isSilent) this.#report({ name: 'open' });
      return { status: 'batch', batch, cause: null };
    } catch (cause) {
      this.#signal.throwIfAborted();
      return { status: 'ended', cause };
    } finally {
      clearTimeout(timer);
    }
  }

  /** Whether silence says something about the connection: it is open, and shows its heartbeats. */
  #isHeartbeatKnown({ hidesHeartbeats = false }: Connection): boolean {
    return this.#isOpen && !hidesHeartbeats;
  }

  #beforeEvent(event: StreamEvent): void {
    // Whatever it says: the service has answered.
    this.#failures = 0;
    // After a loss, senders repeat their hooks. Those events come again under their ids, and are new changes then.
    if (event.type === 'stream.gap' && event.reason !== 'trimmed') this.#recentIds.clear();
    if (event.type !== 'stream.open') return;
    this.#refusedUrls = 0;
    const heartbeatMs = event.heartbeatSeconds * 1_000;
    if (heartbeatMs > 0) this.#heartbeatMs = Math.min(heartbeatMs, maxForeignDelayMs / silentIntervals);
    this.#isOpen = true;
    this.#report({ name: 'open' });
  }

  async #afterEvent(event: StreamEvent): Promise<void> {
    // Only what the service itself sends always has a position.
    if (event.type === 'stream.closing' || event.position === undefined) return;
    this.#position = event.position;
    await this.#options.positions?.save(event.position);
  }

  async #waitToReconnect(cause: unknown, retryAfterMs: number): Promise<void> {
    const delayMs = computeReconnectDelayMs({ retryMs: this.#retryMs, failures: this.#failures, retryAfterMs });
    this.#report({ name: 'waiting', delayMs, cause });
    await wait(delayMs, this.#signal);
  }

  #report(state: StreamState): void {
    this.#options.onState?.(state);
  }
}

/** In the form that every transport can use. */
const parseStreamUrl = (url: string): string => parseAddress(url, 'The URL of the stream').href;

type ReadResult =
  | { readonly status: 'batch'; readonly batch: Batch; readonly cause: null }
  | { readonly status: 'ended'; readonly cause: unknown };

/** Returns why the stream will not open again at this URL, or null if it will. */
function readEndReason(event: StreamEvent): StreamEndReason | null {
  if (event.type !== 'stream.closing') return null;
  return event.reason === 'revoked' || event.reason === 'expired' ? event.reason : null;
}

/**
 * The position travels in the URL: the header `Last-Event-ID` would cost a browser one more request for each connection
 * to another origin.
 */
function addPosition(url: string, position: Position | null): string {
  if (position === null) return url;
  const withPosition = new URL(url);
  withPosition.searchParams.set('lastEventId', position);
  return withPosition.href;
}

/** Remembers the last ids that it saw, at most `capacity`. */
class RecentIds {
  readonly #capacity: number;
  readonly #ids = new Set<string>();

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  /** Returns false if the id is among those that it remembers; else remembers it, in place of the oldest. */
  add(id: string): boolean {
    if (this.#ids.has(id)) return false;
    this.#ids.add(id);
    // A Set keeps the order of insertion, so its first id is the oldest.
    const [oldest = id] = this.#ids;
    if (this.#ids.size > this.#capacity) this.#ids.delete(oldest);
    return true;
  }

  clear(): void {
    this.#ids.clear();
  }
}
