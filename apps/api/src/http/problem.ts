import type { ProblemCode } from '@widget-service/shared/domain/errors.ts';
import type { FastifyReply } from 'fastify';

interface ProblemKind {
  readonly status: number;
  readonly title: string;
  /** Told when the refusal brings no text of its own. */
  readonly detail: string;
}

/** The one table: no handler picks a status for a failure. */
const problemKinds: Readonly<Record<ProblemCode, ProblemKind>> = {
  'invalid-request': {
    status: 400,
    title: 'Invalid request',
    detail: 'The request is not valid; "errors" names what is wrong.',
  },
  'invalid-json': { status: 400, title: 'Invalid JSON', detail: 'The body is not valid JSON.' },
  'unsupported-media-type': {
    status: 400,
    title: 'Unsupported media type',
    detail: 'The body must be sent as application/json, without a content encoding.',
  },
  'payload-too-large': { status: 400, title: 'Payload too large', detail: 'The body is larger than is accepted.' },
  'invalid-idempotency-key': {
    status: 400,
    title: 'Invalid idempotency key',
    detail: 'Idempotency-Key must be sent once, as 1 to 255 visible ASCII characters.',
  },
  'idempotency-key-reused': {
    status: 409,
    title: 'Idempotency key reused',
    detail: 'This idempotency key was used before, with another body.',
  },
  'not-authenticated': { status: 403, title: 'Not authenticated', detail: 'Sign in first.' },
  'invalid-credentials': { status: 403, title: 'Invalid credentials', detail: 'E-mail or password is wrong.' },
  'permission-denied': {
    status: 403,
    title: 'Permission denied',
    detail: 'You are signed in, but do not have the permission that this needs.',
  },
  'csrf-token-invalid': {
    status: 403,
    title: 'CSRF token invalid',
    detail: "The request must come from the service's own origin, with the session's csrfToken in X-Csrf-Token.",
  },
  'stream-not-found': { status: 404, title: 'Stream not found', detail: 'There is no stream at this address.' },
  'invalid-hook-token': { status: 400, title: 'Invalid hook token', detail: 'This address takes no hooks.' },
  'not-found': { status: 404, title: 'Not found', detail: 'There is nothing at this address.' },
  'method-not-allowed': {
    status: 405,
    title: 'Method not allowed',
    detail: 'This address has no such method; "Allow" lists those it has.',
  },
  'rate-limited': { status: 429, title: 'Too many requests', detail: 'Wait before the next request.' },
  unavailable: {
    status: 503,
    title: 'Temporarily unavailable',
    detail: 'The service cannot do this right now. Try again shortly.',
  },
  internal: { status: 500, title: 'Internal error', detail: 'The service failed to handle this request.' },
  'malformed-request': { status: 400, title: 'Malformed request', detail: 'This is not a well-formed HTTP request.' },
  'headers-too-large': { status: 400, title: 'Headers too large', detail: 'The header is larger than is accepted.' },
  'uri-too-long': { status: 400, title: 'URI too long', detail: 'The address is longer than is accepted.' },
  'request-timeout': { status: 400, title: 'Request timeout', detail: 'The request did not arrive in time.' },
  'expectation-failed': {
    status: 400,
    title: 'Expectation failed',
    detail: 'No expectation but 100-continue can be met.',
  },
};

/** One mistake in a request: where it is and what kind it is, never the value that was sent. */
export type InputMistake = {
  readonly detail: string;
  readonly code: MistakeCode;
} & MistakePlace;

export type MistakePlace = { readonly pointer: string } | { readonly parameter: string } | { readonly header: string };

export const mistakeCodes = [
  'required',
  'type',
  'format',
  'enum',
  'too-short',
  'too-long',
  'too-small',
  'too-large',
  'unknown-field',
  'repeated',
] as const;
export type MistakeCode = (typeof mistakeCodes)[number];

export interface Refusal {
  readonly code: ProblemCode;
  readonly detail?: string;
  readonly errors?: readonly InputMistake[];
}

/** The body of an error response (RFC 9457). */
export interface Problem {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  readonly instance: string;
  readonly code: ProblemCode;
  readonly requestId: string;
  readonly errors?: readonly InputMistake[];
}

/** How long a caller is asked to wait after a 503: the stores are asked again by then. */
const retryAfterSeconds = '1';

export function problemOf({ code, detail, errors }: Refusal, requestId: string): Problem {
  const kind = problemKinds[code];
  return {
    type: `/problems/${code}`,
    title: kind.title,
    status: kind.status,
    detail: detail ?? kind.detail,
    instance: `urn:uuid:${requestId}`,
    code,
    requestId,
    ...(errors === undefined ? {} : { errors }),
  };
}

export function statusOf(code: ProblemCode): number {
  return problemKinds[code].status;
}

/** Answers with a problem. The body goes as bytes: to a text fastify would add a charset, which the type has not. */
export function sendProblem(reply: FastifyReply, refusal: Refusal): FastifyReply {
  const problem = problemOf(refusal, reply.request.id);
  reply.request.problemCode = refusal.code;
  if (problem.status === 503) reply.header('retry-after', retryAfterSeconds);
  return reply
    .code(problem.status)
    .header('content-type', 'application/problem+json')
    .send(Buffer.from(JSON.stringify(problem)));
}
