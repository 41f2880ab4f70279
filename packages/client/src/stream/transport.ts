import { createParser } from 'eventsource-parser';
import {
  describeAddress,
  type FailureKind,
  isRedirect,
  type Problem,
  ProblemError,
  readMediaType,
  UnreachableError,
} from '../requests/failures.ts';
import { readRefusal } from '../requests/send.ts';
import type { RawMessage } from './stream-event.ts';

/** How a client opens one connection of a stream. */
export interface Transport {
  /** Opens a connection. Resolves to a failure instead of rejecting, except when the signal is aborted. */
  open(url: string, signal: AbortSignal): Promise<OpenOutcome>;
}

/** What has come of opening a connection. */
export type OpenOutcome =
  | { readonly status: 'open'; readonly connection: Connection }
  /**
   * Another attempt may succeed, unless `cause` is an error of this library with the kind `caller`. `retryAfterMs` is 0
   * unless the response asked for a time.
   */
  | { readonly status: 'failed'; readonly cause: unknown; readonly retryAfterMs: number }
  /** No attempt will succeed. */
  | { readonly status: 'ended'; readonly error: StreamEndedError };

/** One open connection of a stream. */
export interface Connection {
  /** True if the runtime hides heartbeats: then silence has no meaning. */
  readonly hidesHeartbeats?: boolean;
  /**
   * Resolves to the next messages, in their order, and to null at the end of the stream. Rejects if the connection
   * breaks, and with a {@link SilenceError} if nothing at all arrives for `silenceMs`: a heartbeat is due more often.
   */
  read(silenceMs: number): Promise<Batch | null>;
  /** Ends the connection. A `read` that waits then resolves or rejects. */
  close(): void;
}

/** Messages that have arrived together. */
export interface Batch {
  readonly messages: readonly RawMessage[];
  /** The last `retry:` among them, or null. */
  readonly retryMs: number | null;
}

/** Nothing has arrived for much longer than the heartbeat: the connection is dead, though nobody has said so. */
export class SilenceError extends Error {
  override readonly name = 'SilenceError';
  readonly kind: FailureKind = 'outage';

  constructor(silenceMs: number) {
    super(`the stream was silent for ${Math.round(silenceMs)} ms`);
  }
}

/** Why a stream cannot be opened again at its URL. */
export type StreamEndReason =
  /** The service says 404: the token is unknown, revoked or expired. */
  | 'not-found'
  /** The subscription was deleted, or the session of the personal stream has ended. */
  | 'revoked'
  /** The token has expired. */
  | 'expired'
  /** The service says that the request can never succeed. */
  | 'refused';

/**
 * The stream has ended for good: a new connection to the same URL would be refused. Your position stays valid with
 * another URL of the same service.
 */
export class StreamEndedError extends Error {
  override readonly name = 'StreamEndedError';
  readonly kind: FailureKind = 'refusal';
  readonly reason: StreamEndReason;
  /** The response of the service, if it refused the connection. */
  readonly problem: Problem | null;

  constructor(reason: StreamEndReason, problem: Problem | null = null) {
    super(
      `the stream has ended: ${reason}${problem === null ? '' : ` (${problem.title}, request ${problem.requestId})`}`,
    );
    this.reason = reason;
    this.problem = problem;
  }
}

/** Opens a stream with `fetch`. The response must arrive within `openTimeoutMs`. */
export async function openByFetch(
  url: string,
  signal: AbortSignal,
  fetch: typeof globalThis.fetch,
  openTimeoutMs: number,
): Promise<OpenOutcome> {
  const abort = new AbortController();
  const onAbort = () => abort.abort(signal.reason);
  signal.throwIfAborted();
  signal.addEventListener('abort', onAbort, { once: true });
  const stopListening = () => signal.removeEventListener('abort', onAbort);
  const timer = setTimeout(() => abort.abort(new SilenceError(openTimeoutMs)), openTimeoutMs);
  try {
    // Without cookies: the token in the URL is the only credential. Never from a cache.
    const response = await fetch(url, {
      headers: { accept: 'text/event-stream' },
      cache: 'no-store',
      credentials: 'omit',
      redirect: 'manual',
      signal: abort.signal,
    });
    if (response.body !== null && isEventStream(response)) {
      return { status: 'open', connection: new FetchConnection(url, response.body, abort, stopListening) };
    }
    return await describeRefusal(url, response).finally(stopListening);
  } catch (error) {
    stopListening();
    signal.throwIfAborted();
    // Some runtimes reject with an error of their own instead of the reason.
    const cause = new UnreachableError(describeAddress(url), abort.signal.aborted ? abort.signal.reason : error);
    return { status: 'failed', cause, retryAfterMs: 0 };
  } finally {
    clearTimeout(timer);
  }
}

function isEventStream(response: Response): boolean {
  if (response.status !== 200 || isRedirect(response)) return false;
  return readMediaType(response) === 'text/event-stream';
}

/**
 * Decides whether another attempt may succeed. Only a problem of the service ends a stream: a 404 without one comes
 * from a proxy, for example while it loads its configuration.
 */
async function describeRefusal(url: string, response: Response): Promise<OpenOutcome> {
  const { error, isTemporary, retryAfterMs } = await readRefusal({ url, response, expected: '200 text/event-stream' });
  if (!(error instanceof ProblemError) || isTemporary) return { status: 'failed', cause: error, retryAfterMs };
  return {
    status: 'ended',
    error: new StreamEndedError(error.status === 404 ? 'not-found' : 'refused', error.problem),
  };
}

class FetchConnection implements Connection {
  readonly #url: string;
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;
  readonly #abort: AbortController;
  readonly #stopListening: () => void;
  readonly #decoder = new TextDecoder();
  #messages: RawMessage[] = [];
  #retryMs: number | null = null;
  readonly #parser = createParser({
    onEvent: ({ event = 'message', id = '', data }) => this.#messages.push({ name: event, id, data }),
    onRetry: (retryMs) => {
      this.#retryMs = retryMs;
    },
  });

  constructor(url: string, body: ReadableStream<Uint8Array>, abort: AbortController, stopListening: () => void) {
    this.#url = url;
    this.#reader = body.getReader();
    this.#abort = abort;
    this.#stopListening = stopListening;
  }

  async read(silenceMs: number): Promise<Batch | null> {
    const timer = setTimeout(() => this.#abort.abort(new SilenceError(silenceMs)), silenceMs);
    try {
      const { done, value } = await this.#reader.read();
      if (done) {
        this.close();
        return null;
      }
      this.#parser.feed(this.#decoder.decode(value, { stream: true }));
    } catch (error) {
      const isAborted = this.#abort.signal.aborted;
      this.close();
      // Some runtimes reject with an error of their own instead of the reason.
      throw isAborted ? this.#abort.signal.reason : new UnreachableError(describeAddress(this.#url), error);
    } finally {
      clearTimeout(timer);
    }
    const batch = { messages: this.#messages, retryMs: this.#retryMs };
    this.#messages = [];
    this.#retryMs = null;
    return batch;
  }

  close(): void {
    this.#stopListening();
    this.#abort.abort();
  }
}

/** What it needs of an `EventSource`. */
export interface EventSourceLike {
  /** As on `EventSource`. */
  addEventListener(name: string, listener: (event: MessageEvent) => void): void;
  /** As on `EventSource`. */
  close(): void;
}

const names = [
  'widget.created',
  'widget.updated',
  'widget.retired',
  'stream.open',
  'stream.gap',
  'stream.position',
  'stream.closing',
];

/**
 * Opens streams with an `EventSource`, for runtimes whose `fetch` cannot read a response while it arrives. It knows
 * less than `fetch` does: it sees neither heartbeats nor `retry:` nor why a stream did not open. So it does not notice
 * a dead connection before the operating system does, and it repeats a connection that the service refused for good.
 */
export function createEventSourceTransport(EventSource: new (url: string) => EventSourceLike): Transport {
  return {
    open: (url, signal) =>
      new Promise<OpenOutcome>((resolve, reject) => {
        signal.throwIfAborted();
        const source = new EventSource(url);
        const connection = new EventSourceConnection(source, signal);
        const onAbort = () => {
          connection.close();
          reject(signal.reason);
        };
        signal.addEventListener('abort', onAbort, { once: true });
        source.addEventListener('open', () => resolve({ status: 'open', connection }));
        source.addEventListener('error', () => {
          connection.end();
          // After `open`, this has no effect: the promise is settled.
          resolve({ status: 'failed', cause: new Error('the stream could not be opened'), retryAfterMs: 0 });
        });
      }),
  };
}

class EventSourceConnection implements Connection {
  readonly hidesHeartbeats = true;
  readonly #source: EventSourceLike;
  readonly #signal: AbortSignal;
  #messages: RawMessage[] = [];
  #hasEnded = false;
  #wake: () => void = () => undefined;

  constructor(source: EventSourceLike, signal: AbortSignal) {
    this.#source = source;
    this.#signal = signal;
    for (const name of names) {
      source.addEventListener(name, ({ data, lastEventId }) => {
        // An EventSource repeats the last id for a message without one; `stream.closing` has none.
        this.#messages.push({ name, id: name === 'stream.closing' ? '' : lastEventId, data });
        this.#wake();
      });
    }
  }

  /** Waits without a limit: an `EventSource` hides the heartbeats, so silence has no meaning. */
  async read(): Promise<Batch | null> {
    if (this.#messages.length === 0 && !this.#hasEnded) await this.#waitForMessage();
    this.#signal.throwIfAborted();
    if (this.#messages.length === 0) return null;
    return { messages: this.#messages.splice(0), retryMs: null };
  }

  /** What has arrived can still be read. The client reconnects on its own, because only it knows the position. */
  end(): void {
    this.#hasEnded = true;
    this.close();
  }

  close(): void {
    this.#source.close();
    this.#wake();
  }

  #waitForMessage(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }
}
