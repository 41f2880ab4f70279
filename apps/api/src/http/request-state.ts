import type { ProblemCode } from '@widget-service/shared/domain/errors.ts';
import type { FastifyInstance, FastifyRequest } from 'fastify';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Part of the body is the sender's own content and is only carried, so its members may have any name. */
    hasFreeFormBody?: boolean;
    /**
     * Verifies the raw bytes of the body before anything is parsed, for example a signature. Called once per request;
     * a request without a body passes zero bytes. Throws a `ServiceError` to refuse the request.
     */
    verifyBody?: (request: FastifyRequest, body: Uint8Array) => void;
  }

  interface FastifyRequest {
    /** The decoded text of the body; null if the request has no body. */
    bodyText: string | null;
    /** Milliseconds the request spent on its credential and its rate limit, before its body was read. */
    elapsedBeforeBodyMs: number;
    /** Who sent the request, for the log line, for example `{ userId }`. Never a secret. */
    callerFields: Readonly<Record<string, string>> | null;
    /** The code of the problem that was answered, for the log line and the metrics. */
    problemCode: ProblemCode | null;
    /** The failure behind a 5xx answer, for the log line. */
    failure: Error | null;
    /** The handler has written the log line of this request itself. */
    isLogged: boolean;
  }
}

/** Declares the members above on every request object. V8 optimizes objects that always have the same shape. */
export function decorateRequests(app: FastifyInstance): void {
  app.decorateRequest('bodyText', null);
  app.decorateRequest('elapsedBeforeBodyMs', 0);
  app.decorateRequest('callerFields', null);
  app.decorateRequest('problemCode', null);
  app.decorateRequest('failure', null);
  app.decorateRequest('isLogged', false);
}
