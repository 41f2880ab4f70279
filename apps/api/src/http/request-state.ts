import type { ProblemCode } from '@widget-service/shared/domain/errors.ts';
import type { GrantToken } from '@widget-service/shared/domain/grant.ts';
import type { Integration } from '@widget-service/shared/ports/integration-store.ts';
import type { FastifyInstance } from 'fastify';
import type { Caller, RoutePolicy } from '../auth/policy.ts';
import type { RouteRateLimit } from './rate-limit.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Who may call the route. Every route declares one. */
    policy?: RoutePolicy;
    /** What requests count for; without one they are not limited. */
    rateLimit?: RouteRateLimit;
    /** Whether a part of the body is the sender's own, and only carried: its members may have any name. */
    hasFreeFormBody?: boolean;
  }

  interface FastifyRequest {
    /** The body as it was sent, decoded; null when there was none. */
    bodyText: string | null;
    /** Set where the route's policy asks for a session or a permission. */
    caller: Caller | null;
    /** Set where the route's policy is `hook-token`. */
    integration: Integration | null;
    /** The integration's token that the hook was sent with; set together with it. */
    hookToken: GrantToken | null;
    /** Set where the body must be verified before anything is read of it: called once, with its bytes. */
    verifyBody: ((body: Uint8Array) => void) | null;
    /** How long the request waited, in milliseconds, before its body was read. */
    waitedMs: number;
    /** The code of the problem that was answered, for log and metrics. */
    problemCode: ProblemCode | null;
    /** The failure behind a 5xx, for the log. */
    failure: Error | null;
    /** True when the handler has written the request's log line itself. */
    isLogged: boolean;
  }
}

/** Declares what the layers hand on with a request, so that every request object has one shape. */
export function decorateRequests(app: FastifyInstance): void {
  app.decorateRequest('bodyText', null);
  app.decorateRequest('caller', null);
  app.decorateRequest('integration', null);
  app.decorateRequest('hookToken', null);
  app.decorateRequest('verifyBody', null);
  app.decorateRequest('waitedMs', 0);
  app.decorateRequest('problemCode', null);
  app.decorateRequest('failure', null);
  app.decorateRequest('isLogged', false);
}
