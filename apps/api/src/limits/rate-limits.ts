import type { RateLimit } from '@widget-service/shared/domain/gcra.ts';
import type { RateLimiter } from '@widget-service/shared/ports/rate-limiter.ts';
import type { FastifyInstance, FastifyReply, onRequestHookHandler } from 'fastify';
import { requirePrincipalId } from '../auth/policy.ts';
import type { HookPermits } from './hook-permits.ts';
import { type RateRefusal, setRateLimitHeaders, toRateLimitedError } from './rate-limit-headers.ts';

/**
 * What a route counts for: `api` per caller, `hooks` per integration. Sign-in counts failures and is its own matter.
 */
type RouteRateLimit = 'api' | 'hooks';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Which rate limit the route counts against. Without it, the route is not limited. */
    rateLimit?: RouteRateLimit;
  }
}

export interface RateLimitDeps {
  readonly limiter: Pick<RateLimiter, 'take'>;
  /** Per caller; null: no limit. */
  readonly apiLimit: RateLimit | null;
  readonly hookPermits: Pick<HookPermits, 'take'>;
}

/**
 * Gives every route that is registered from now on the limit it declares, after the check of its policy and before
 * its body is read: so it must be called after the policies were.
 */
export function registerRateLimits(app: FastifyInstance, deps: RateLimitDeps): void {
  app.addHook('onRoute', (route) => {
    const check = compileRateLimit(route.config?.rateLimit, deps);
    if (check !== null) route.onRequest = [...[route.onRequest ?? []].flat(), check];
  });
}

function compileRateLimit(
  rateLimit: RouteRateLimit | undefined,
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

/** Without a promise as long as permits are at hand: this runs for every hook. */
function createHookCheck(permits: Pick<HookPermits, 'take'>): onRequestHookHandler {
  return (request, reply, done) => {
    const { integration } = request;
    if (integration === null) throw new Error('the route has no policy that sets the integration');
    const verdict = permits.take(integration);
    if (verdict === null) done();
    else if (!(verdict instanceof Promise)) done(refused(reply, verdict));
    else verdict.then((refusal) => done(refusal === null ? undefined : refused(reply, refusal)), done);
  };
}

const refused = (reply: FastifyReply, refusal: RateRefusal) => toRateLimitedError(reply, 'hooks', refusal);
