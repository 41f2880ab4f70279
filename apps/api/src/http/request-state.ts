import { requestDeadlineMs, withDeadline } from '@widget-service/shared/runtime/clock.ts';
import type { Span } from '@widget-service/shared/tracing/tracer.ts';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Problem } from './problem.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /**
     * Part of the body is the sender's own content, which the service stores and forwards but never interprets. Its
     * members may have any name.
     */
    hasFreeFormBody?: boolean;
    /**
     * Verifies the raw bytes of the body before they are parsed, for example a signature, or reads them instead of the
     * JSON parser: then it returns what the schema of the body checks. A request without a body passes zero bytes. Not
     * called for a request that is rejected earlier. Throws a `ServiceError` to reject the request.
     */
    takeBody?: (request: FastifyRequest, body: Uint8Array) => unknown;
    /** The methods of the route are not among those that the header `Allow` lists for its path. */
    isUnlisted?: boolean;
    /**
     * Returns more members of the request's log line, never a secret. Called only if the request log writes a line, so
     * it costs nothing for a request whose handler writes its own.
     */
    logFields?: (request: FastifyRequest) => Readonly<Record<string, string | null>>;
  }

  interface FastifyRequest {
    /** The decoded text of the body; null if the request has no body. */
    bodyText: string | null;
    /** How many bytes of the body were read, whatever became of them; 0 before all were. */
    bodyBytes: number;
    /** Milliseconds the request spent on its credential and its rate limit, before its body was read. */
    elapsedBeforeBodyMs: number;
    /** Who sent the request, for the log line, such as `{ userId }`. Never a secret. Null: no caller is known. */
    callerFields: Readonly<Record<string, string>> | null;
    /** The problem in the response, for the log line and the metrics. Null: the response is not an error. */
    problem: Problem | null;
    /** The error behind a 5xx response, for the log line. */
    failure: Error | null;
    /** The handler has written the log line of this request itself, so the request log writes none. */
    isLogged: boolean;
    /** Null unless the request's trace is sampled. */
    span: Span | null;
  }
}

/** Declares the members above on every request object. V8 optimizes objects that always have the same shape. */
export function decorateRequests(app: FastifyInstance): void {
  app.decorateRequest('bodyText', null);
  app.decorateRequest('bodyBytes', 0);
  app.decorateRequest('elapsedBeforeBodyMs', 0);
  app.decorateRequest('callerFields', null);
  app.decorateRequest('problem', null);
  app.decorateRequest('failure', null);
  app.decorateRequest('isLogged', false);
  app.decorateRequest('span', null);
}

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
