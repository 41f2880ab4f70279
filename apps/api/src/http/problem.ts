import { type ProblemCode, ServiceError } from '@widget-service/shared/domain/errors.ts';
import type { FastifyReply } from 'fastify';
import { problemKinds } from './problem-kinds.ts';

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

export function statusForCode(code: ProblemCode): number {
  return problemKinds[code].status;
}

/** Answers with a problem. The body goes as bytes: to a text fastify would add a charset, which the type has not. */
export function sendProblem(reply: FastifyReply, refusal: Refusal): FastifyReply {
  const problem = buildProblem(refusal, reply.request.id);
  reply.request.problemCode = refusal.code;
  if (problem.status === 503) reply.header('retry-after', retryAfterSeconds);
  return reply
    .code(problem.status)
    .header('content-type', 'application/problem+json')
    .send(Buffer.from(JSON.stringify(problem)));
}

/** A request that is refused for what it contains. */
export class InputError extends ServiceError {
  readonly errors: readonly InputMistake[];

  constructor(
    code: 'invalid-request' | 'invalid-idempotency-key',
    publicText: string,
    errors: readonly InputMistake[],
  ) {
    super(code, publicText);
    this.name = 'InputError';
    this.errors = errors;
  }
}
