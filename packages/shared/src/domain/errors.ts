import type { Delivery } from './delivery.ts';

/** Every code of a problem response. The api's `http/problem-kinds.ts` maps each code to its status and title. */
export type ProblemCode =
  | 'invalid-request'
  | 'invalid-json'
  | 'unsupported-media-type'
  | 'payload-too-large'
  | 'invalid-idempotency-key'
  | 'idempotency-key-reused'
  | 'not-authenticated'
  | 'invalid-credentials'
  | 'password-sign-in-disabled'
  | 'sign-in-not-verified'
  | 'sign-in-refused'
  | 'permission-denied'
  | 'password-change-required'
  | 'weak-password'
  | 'csrf-token-invalid'
  | 'stream-not-found'
  | 'invalid-hook-token'
  | 'invalid-hook-signature'
  | 'hook-not-mappable'
  | 'email-in-use'
  | 'last-admin'
  | 'user-has-no-password'
  | 'delivery-not-dead'
  | 'not-found'
  | 'method-not-allowed'
  | 'rate-limited'
  | 'too-many-connections'
  | 'integration-backlog-full'
  | 'unavailable'
  | 'identity-provider-unavailable'
  | 'internal'
  | 'malformed-request'
  | 'host-not-allowed'
  | 'headers-too-large'
  | 'uri-too-long'
  | 'request-timeout'
  | 'expectation-failed';

export interface ServiceErrorOptions {
  /** For our logs only. Never sent to a client. */
  readonly internalMessage?: string;
  readonly cause?: unknown;
}

/** A failure with a stable code, a text for the client (`message`) and a text for our logs (`internalMessage`). */
export class ServiceError extends Error {
  readonly code: ProblemCode;
  readonly internalMessage: string | undefined;

  constructor(code: ProblemCode, publicText: string, options: ServiceErrorOptions = {}) {
    super(publicText, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'ServiceError';
    this.code = code;
    this.internalMessage = options.internalMessage;
  }
}

/**
 * The service cannot do something now, but may later. From a store: it did not answer in time or answered with a
 * temporary error, and it is unknown whether the call took place. The ports say which calls are safe to repeat. The
 * service also throws it itself, if it has no capacity left or if the work must stop. Earlier steps of that work may
 * have taken place.
 */
export class UnavailableError extends ServiceError {
  /** The port whose store failed, if it is not the port that was called. Metrics count the failure there. */
  readonly failedPort: string | undefined;

  constructor(internalMessage: string, cause?: unknown, failedPort?: string) {
    super('unavailable', 'The service cannot do this right now. Try again shortly.', { internalMessage, cause });
    this.name = 'UnavailableError';
    this.failedPort = failedPort;
  }
}

/** The hook queue has stored a job, and no replica confirms it: a failover would lose it. A retry may succeed. */
export class NotReplicatedError extends UnavailableError {
  override readonly message = 'No replica of the hook queue confirms the hook. Repeat it until you get 202.';
}

/**
 * A store rejects a value for good, for example because it is too large: retrying does not help. The value is not
 * stored. Other values of the same call may be.
 */
export class UnstorableError extends ServiceError {
  constructor(internalMessage: string, cause?: unknown) {
    super('internal', 'The service failed to handle this request.', { internalMessage, cause });
    this.name = 'UnstorableError';
  }
}

/** A stored row is damaged: a member is missing or has the wrong type. An operator must mend it. */
export class UnreadableRowError extends ServiceError {
  constructor(internalMessage: string) {
    super('internal', 'A stored row that this request needs is damaged. The log of the service names it.', {
      internalMessage,
    });
    this.name = 'UnreadableRowError';
  }
}

/** An item of a call that the store rejects for good. The store may have accepted the others. */
export interface UnstorableItem {
  readonly id: string;
  /**
   * Why, for our own logs: the store's error. It may name a code, a rule, a table or a column, but holds no value of
   * the item.
   */
  readonly cause: string;
}

/** A delivery that a store rejects for good, even alone. It had no effect. */
export interface UnstorableDelivery extends Pick<UnstorableItem, 'cause'> {
  readonly delivery: Delivery;
}

/** Returns the text of an error for our own logs. */
export function describeError(error: unknown): string {
  if (error instanceof ServiceError) return error.internalMessage ?? error.message;
  return error instanceof Error ? error.message : String(error);
}
