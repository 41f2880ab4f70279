import type { ProblemCode } from '@widget-service/shared/domain/errors.ts';
import { ServiceError } from '@widget-service/shared/domain/errors.ts';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { setCommonHeaders } from './admit-request.ts';
import { InputError } from './input-error.ts';
import { type Refusal, sendProblem, statusOf } from './problem.ts';

/** Fastify's own refusals. Their texts are not passed on: some of them quote the address. */
const codeByFrameworkCode: Readonly<Record<string, ProblemCode>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: 'payload-too-large',
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'unsupported-media-type',
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: 'malformed-request',
  FST_ERR_BAD_URL: 'malformed-request',
  FST_ERR_MAX_PARAM_LENGTH: 'uri-too-long',
  // The connection broke while the body was read: nobody hears the answer.
  ECONNRESET: 'malformed-request',
};

/** Turns whatever a route throws into a problem. */
export function registerErrorHandler(app: FastifyInstance): void {
  app.setErrorHandler((error, request, reply) => {
    const refusal = refusalOf(error);
    if (statusOf(refusal.code) >= 500) request.failure = error instanceof Error ? error : new Error(String(error));
    return sendProblem(reply, refusal);
  });
}

/** Answers what fastify refuses before it has found a route: an address that cannot be decoded. */
export function answerFrameworkError(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  setCommonHeaders(request, reply);
  sendProblem(reply, refusalOf(error));
  // No hook of ours runs for such a request, the one that writes the log line neither.
  const line = { requestId: request.id, method: request.method, route: 'unmatched', status: reply.statusCode };
  request.log.info({ ...line, code: request.problemCode }, 'request');
}

function refusalOf(error: unknown): Refusal {
  if (error instanceof InputError) return { code: error.code, detail: error.message, errors: error.errors };
  if (error instanceof ServiceError) return { code: error.code, detail: error.message };
  const { code } = error as { code?: unknown };
  return { code: (typeof code === 'string' ? codeByFrameworkCode[code] : undefined) ?? 'internal' };
}
