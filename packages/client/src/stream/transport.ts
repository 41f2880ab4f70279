import type { FailureKind } from '../requests/failure-kind.ts';
import type { StreamEndedError } from './stream-ended-error.ts';
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
