import type { RateLimit } from '@widget-service/shared/domain/gcra.ts';
import type { RateLimiter } from '@widget-service/shared/ports/rate-limiter.ts';
import type { FastifyInstance, FastifyReply, onRequestHookHandler } from 'fastify';
import { type RoutePolicy, requirePrincipalId } from '../auth/policy.ts';
import type { HookPermits } from './hook-permits.ts';
import { type RateRefusal, setRateLimitHeaders, toRateLimitedError } from './rate-limit-headers.ts';

/**
 * `api` counts requests per principal, `hooks` per integration. The settings give the rates (`toRateLimits`).
 * sign-in-limits.ts limits sign-in, by its failures only.
 */
type RouteRateLimit = 'api' | 'hooks';

/**
 * Returns the rate limit of a route. The policy alone decides, so no authenticated route can be forgotten. Null: the
 * route has no caller to count.
 */
export function selectRateLimit(policy: RoutePolicy): RouteRateLimit | null {
  if (policy === 'hook-token') return 'hooks';
  return policy === 'public' || policy === 'own-origin' ? null : 'api';
}

export interface RateLimitDeps {
  readonly limiter: Pick<RateLimiter, 'take'>;
  /** Per principal; null: no limit. */
  readonly apiLimit: RateLimit | null;
  readonly hookPermits: Pick<HookPermits, 'take'>;
}

/**
 * Enforces the rate limit of each route (`selectRateLimit`), for every route that is registered after this call. The check runs before the body is read. It runs after the policy check (see `registerPolicies`), because it
 * needs the caller or the integration. A request over its limit fails with `ServiceError` `rate-limited` (429); if the
 * limiter fails, with the limiter's error.
 */
export function registerRateLimits(app: FastifyInstance, deps: RateLimitDeps): void {
  app.addHook('onRoute', (route) => {
    const check = compileRateLimit(selectRateLimit(route.config?.policy ?? 'public'), deps);
    if (check !== null) route.onRequest = [...[route.onRequest ?? []].flat(), check];
  });
}

function compileRateLimit(
  rateLimit: RouteRateLimit | null,
  { limiter, apiLimit, hookPermits }: RateLimitDeps,
): onRequestHookHandler | null {
  if (rateLimit === 'hooks') return createHookCheck(hookPermits);
  return rateLimit === 'api' && apiLimit !== null ? createApiCheck(limiter, apiLimit) : null;
}

function createApiCheck(limiter: Pick<RateLimiter, 'take'>, limit: RateLimit): onRequestHookHandler {
  return (request, reply, done) => {
    limiter.take({ key: `api:${requirePrincipalId(request)}`, limit, atLeast: 1, atMost: 1 }).then((outcome) => {
      setRateLimitHeaders(reply, 'api', limit, outcome);
      done(outcome.granted === 0 ? toRateLimitedError(reply, 'api', { limit, ...outcome }) : undefined);
    }, done);
  };
}

/**
 * Makes the check of posted hooks. It creates no promise while leased permits are left. Of the answers to hooks, only a
 * 429 has rate limit headers: the pod does not know how many permits are left for all pods.
 */
function createHookCheck(permits: Pick<HookPermits, 'take'>): onRequestHookHandler {
  return (request, reply, done) => {
    const { integration } = request;
    if (integration === null) {
      throw new Error("The route counts against the rate limit 'hooks', but does not have the policy 'hook-token'.");
    }
    const verdict = permits.take(integration);
    if (verdict === null) done();
    else if (!(verdict instanceof Promise)) done(toHookError(reply, verdict));
    else verdict.then((refusal) => done(refusal === null ? undefined : toHookError(reply, refusal)), done);
  };
}

const toHookError = (reply: FastifyReply, refusal: RateRefusal) => toRateLimitedError(reply, 'hooks', refusal);
