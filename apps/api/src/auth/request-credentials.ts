import type { GrantToken } from '@widget-service/shared/domain/grant.ts';
import type { Integration } from '@widget-service/shared/ports/grant-store.ts';
import type { FastifyInstance } from 'fastify';
import type { Caller, RoutePolicy } from './policy.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Who may call the route. Every route declares a policy. */
    policy?: RoutePolicy;
  }

  interface FastifyRequest {
    /** Set by a policy that requires a session or a permission. */
    caller: Caller | null;
    /** Set by the policy `hook-token`. */
    integration: Integration | null;
    /** The token of `integration` that the sender used. Set together with `integration`. */
    hookToken: GrantToken | null;
  }
}

/** Declares the members above on every request object. */
export function decorateCredentials(app: FastifyInstance): void {
  app.decorateRequest('caller', null);
  app.decorateRequest('integration', null);
  app.decorateRequest('hookToken', null);
}
