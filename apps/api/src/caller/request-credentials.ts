import type { GrantToken, Integration } from '@widget-service/shared/entities/grant.ts';
import type { FastifyInstance } from 'fastify';
import type { Caller, RoutePolicy } from './policy.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Who may call the route. `registerPolicies` throws for a route without it, although the type says optional. */
    policy?: RoutePolicy;
    /** The route also serves a user who must change the password first. */
    allowedBeforePasswordChange?: boolean;
  }

  interface FastifyRequest {
    /**
     * Who sent the request. Set by a policy that requires a session or a permission, also if it then refuses the
     * request for lack of the permission or of the CSRF token. Otherwise null.
     */
    caller: Caller | null;
    /** Whose hook address was called. Set by the policy `hook-token`; otherwise null. */
    integration: Integration | null;
    /** The token of `integration` that the sender used. Set together with `integration`. */
    hookToken: GrantToken | null;
    /** Whether the hook was signed with a secret of its integration. False before its signature is verified. */
    isSenderVerified: boolean;
    /** How many permits of its integration the hook has taken (`registerHookLimits`). */
    hookPermitsTaken: number;
  }
}

/** Declares the members above on every request object. */
export function decorateCredentials(app: FastifyInstance): void {
  app.decorateRequest('caller', null);
  app.decorateRequest('integration', null);
  app.decorateRequest('hookToken', null);
  app.decorateRequest('isSenderVerified', false);
  app.decorateRequest('hookPermitsTaken', 0);
}
