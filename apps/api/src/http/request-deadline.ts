import { requestDeadlineMs, withDeadline } from '@widget-service/shared/runtime/deadline.ts';
import type { FastifyInstance, FastifyRequest } from 'fastify';

/** Has every request know how long it waited for its credential and its limit; how long its body took is the caller's. */
export function registerRequestDeadline(app: FastifyInstance): void {
  app.addHook('preParsing', (request, reply, _payload, done) => {
    request.elapsedBeforeBodyMs = reply.elapsedTime;
    done();
  });
}

/**
 * The outcome of a handler's work, or an `UnavailableError` when all that the request waited for has taken as long as
 * it may: each store call has a bound of its own, but their sum is what the caller sees. The work goes on.
 */
export function withinRequestDeadline<T>(request: FastifyRequest, work: Promise<T>, what: string): Promise<T> {
  return withDeadline(work, Math.max(0, Math.floor(requestDeadlineMs - request.elapsedBeforeBodyMs)), what);
}
