import type { RawMessage } from './stream-event.ts';
import type { Batch, Connection, OpenOutcome, Transport } from './transport.ts';

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
