import { createParser } from 'eventsource-parser';
import { readRetryAfterMs } from '../delays.ts';
import { describeAddress } from '../requests/address.ts';
import { ProblemError, readMediaType, readProblem, UnreachableError } from '../requests/failures.ts';
import { isRedirect, UnexpectedResponseError } from '../requests/unexpected-response-error.ts';
import type { RawMessage } from './stream-event.ts';
import {
  type Batch,
  type Connection,
  type OpenOutcome,
  SilenceError,
  StreamEndedError,
  type Transport,
} from './transport.ts';

/** Opens streams with `fetch`. The response must arrive within `openTimeoutMs`. */
export function createFetchTransport({
  fetch,
  openTimeoutMs,
}: {
  readonly fetch: typeof globalThis.fetch;
  readonly openTimeoutMs: number;
}): Transport {
  return {
    async open(url, signal) {
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
    },
  };
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
  const problem = await readProblem(response);
  if (problem === null) {
    const cause = new UnexpectedResponseError({ url, response, expected: '200 text/event-stream' });
    return { status: 'failed', cause, retryAfterMs: readRetryAfterMs(response.headers) };
  }
  const cause = new ProblemError(problem);
  if (cause.isTemporary) return { status: 'failed', cause, retryAfterMs: readRetryAfterMs(response.headers) };
  return { status: 'ended', error: new StreamEndedError(problem.status === 404 ? 'not-found' : 'refused', problem) };
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
