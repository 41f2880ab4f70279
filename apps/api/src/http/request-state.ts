import type { ProblemCode } from '@widget-service/shared/domain/errors.ts';
import type { Integration } from '@widget-service/shared/ports/integration-store.ts';
import type { FastifyInstance } from 'fastify';
import type { RoutePolicy, SignedInCaller } from '../auth/policy.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Who may call the route. Every route declares one. */
    policy?: RoutePolicy;
    /** Whether a part of the body is the sender's own, and only carried: its members may have any name. */
    hasFreeFormBody?: boolean;
  }

  interface FastifyRequest {
    /** The body as it was sent, decoded; null when there was none. */
    bodyText: string | null;
    /** Set where the route's policy asks for a session. */
    caller: SignedInCaller | null;
    /** Set where the route's policy is `hook-token`. */
    integration: Integration | null;
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
  app.decorateRequest('problemCode', null);
  app.decorateRequest('failure', null);
  app.decorateRequest('isLogged', false);
}
