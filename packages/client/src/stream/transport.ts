import type { FailureKind, Problem } from '../requests/failures.ts';
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
