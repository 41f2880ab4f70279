import type { FailureKind } from '../requests/failure-kind.ts';
import type { Problem } from '../requests/problem-error.ts';

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
