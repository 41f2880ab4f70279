/**
 * Every code a refusal can carry. The status and title of each stand in one table, in the api's `http/problem-kinds.ts`.
 */
export type ProblemCode =
  | 'invalid-request'
  | 'invalid-json'
  | 'unsupported-media-type'
  | 'payload-too-large'
  | 'invalid-idempotency-key'
  | 'idempotency-key-reused'
  | 'not-authenticated'
  | 'invalid-credentials'
  | 'permission-denied'
  | 'csrf-token-invalid'
  | 'stream-not-found'
  | 'invalid-hook-token'
  | 'invalid-hook-signature'
  | 'email-in-use'
  | 'last-admin'
  | 'delivery-not-dead'
  | 'not-found'
  | 'method-not-allowed'
  | 'rate-limited'
  | 'unavailable'
  | 'internal'
  | 'malformed-request'
  | 'headers-too-large'
  | 'uri-too-long'
  | 'request-timeout'
  | 'expectation-failed';

export interface ServiceErrorOptions {
  /** For our logs only: never shown to a caller. */
  readonly internalMessage?: string;
  readonly cause?: unknown;
}

/** A failure with a stable code, a text for the caller (`message`) and, apart from it, one for our logs. */
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

/** A store cannot be reached, or did not answer in time: what was asked may or may not have happened. Try later. */
export class UnavailableError extends ServiceError {
  constructor(internalMessage: string, cause?: unknown) {
    super('unavailable', 'The service cannot do this right now. Try again shortly.', { internalMessage, cause });
    this.name = 'UnavailableError';
  }
}

/** A store answered that it will not take this, and will not the next time either. */
export class UnstorableError extends ServiceError {
  constructor(internalMessage: string, cause?: unknown) {
    super('internal', 'The service failed to handle this request.', { internalMessage, cause });
    this.name = 'StoreRefusedError';
  }
}
