import { type ProblemCode, ServiceError } from '@widget-service/shared/domain/errors.ts';
import type { FastifyReply } from 'fastify';
import { problemKinds } from './problem-kinds.ts';

/** One mistake in a request: what is wrong and where. It never holds the value that was sent. */
export type InputMistake = {
  readonly detail: string;
  readonly code: MistakeCode;
} & MistakePlace;

/**
 * Where a mistake is: a JSON pointer into the body as a URI fragment (`#/owner/email`, RFC 6901), the name of a query
 * parameter, or the name of a header.
 */
export type MistakePlace = { readonly pointer: string } | { readonly parameter: string } | { readonly header: string };

/** Every code that an entry of a problem's `errors` can have. */
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

/** Why a request is rejected: what differs between problems. Without a `detail`, the problem has its code's default. */
export interface Refusal {
  readonly code: ProblemCode;
  readonly detail?: string;
  readonly errors?: readonly InputMistake[];
}

/** The body of an error response (RFC 9457). */
export interface Problem {
  /** `/problems/<code>`, the address of a page that describes the problem. */
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  /** `urn:uuid:<requestId>`. */
  readonly instance: string;
  readonly code: ProblemCode;
  readonly requestId: string;
  readonly errors?: readonly InputMistake[];
}

/** The `Retry-After` of a 503, in whole seconds. Short: each request asks the stores anew. */
const retryAfterSeconds = '1';

/** Builds the body of an error response. */
export function buildProblem({ code, detail, errors }: Refusal, requestId: string): Problem {
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

export const problemCodes = Object.keys(problemKinds) as readonly ProblemCode[];

/** Whether a text from an address is a problem code. */
export function isProblemCode(text: string): text is ProblemCode {
  return Object.hasOwn(problemKinds, text);
}

export function statusForCode(code: ProblemCode): number {
  return problemKinds[code].status;
}

/**
 * Sends a problem and records it in `request.problem`. A 503 also gets `Retry-After`. The body is sent as
 * bytes: Fastify adds a charset to the content type of a text, and `application/problem+json` has no such parameter.
 */
export function sendProblem(reply: FastifyReply, refusal: Refusal): FastifyReply {
  const problem = buildProblem(refusal, reply.request.id);
  reply.request.problem = problem;
  if (problem.status === 503) reply.header('retry-after', retryAfterSeconds);
  return reply
    .code(problem.status)
    .header('content-type', 'application/problem+json')
    .send(Buffer.from(JSON.stringify(problem)));
}

/**
 * A request is rejected because of its content. The public text and `errors` become the problem's `detail` and
 * `errors`.
 */
export class InputError extends ServiceError {
  readonly errors: readonly InputMistake[];

  constructor(
    code: 'invalid-request' | 'invalid-idempotency-key' | 'hook-not-mappable',
    publicText: string,
    errors: readonly InputMistake[],
  ) {
    super(code, publicText);
    this.name = 'InputError';
    this.errors = errors;
  }
}

/** Builds the error `invalid-request`, whose text refers to the mistakes. */
export function invalidRequest(...mistakes: readonly InputMistake[]): InputError {
  return new InputError('invalid-request', problemKinds['invalid-request'].detail, mistakes);
}
