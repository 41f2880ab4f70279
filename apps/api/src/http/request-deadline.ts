import { requestDeadlineMs, withDeadline } from '@widget-service/shared/runtime/deadline.ts';
import type { FastifyInstance, FastifyRequest } from 'fastify';

/**
 * Prepares `remainingRequestMs` and `withinRequestDeadline`: records how long each request waited for its credential
 * and its rate limit (`request.elapsedBeforeBodyMs`). The time that the body takes to arrive does not count: it
 * depends on the client. No request has a deadline by this call alone.
 */
export function registerRequestDeadline(app: FastifyInstance): void {
  app.addHook('preParsing', (request, reply, _payload, done) => {
    request.elapsedBeforeBodyMs = reply.elapsedTime;
    done();
  });
}

/**
 * Resolves or rejects as `work` does. Rejects with `UnavailableError` once the request's credential, rate limit and
 * `work` together have taken `requestDeadlineMs` (1.8 s). Each store call has a timeout of its own, but the client
 * waits for their sum. `work` itself continues; its late result or error is dropped. `what` names the work in the
 * error.
 */
export function withinRequestDeadline<T>(request: FastifyRequest, work: Promise<T>, what: string): Promise<T> {
  return withDeadline(work, remainingRequestMs(request), what);
}

/** How long the work for a request may take once its body has arrived, in milliseconds. */
export function remainingRequestMs({ elapsedBeforeBodyMs }: Pick<FastifyRequest, 'elapsedBeforeBodyMs'>): number {
  return Math.max(0, Math.floor(requestDeadlineMs - elapsedBeforeBodyMs));
}
