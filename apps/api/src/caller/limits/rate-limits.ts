import type { RateLimit } from '@widget-service/shared/domain/gcra.ts';
import type { RateLimiter } from '@widget-service/shared/ports/rate-limiter.ts';
import type {
  FastifyInstance,
  FastifyReply,
  FastifyRequest,
  onRequestHookHandler,
  preValidationHookHandler,
} from 'fastify';
import { getBodyBytes } from '../../http/json-body.ts';
import { type RoutePolicy, requirePrincipalId } from '../policy.ts';
import { countPermits, type HookPermits, type PermitVerdict } from './hook-permits.ts';
import { setRateLimitHeaders, toRateLimitedError } from './rate-limit-headers.ts';

/**
 * `api` counts requests per principal, `hooks` counts hooks per integration, large ones several times (`countPermits`).
 * The settings give the rates (`toRateLimits`). sign-in-limits.ts limits sign-in, by its failures only.
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

type HookTaker = Pick<HookPermits, 'take' | 'giveBack'>;

export interface RateLimitDeps {
  readonly limiter: Pick<RateLimiter, 'take'>;
  /** Per principal; null: no limit. */
  readonly apiLimit: RateLimit | null;
  readonly hookPermits: HookTaker;
}

/**
 * Enforces the rate limit of each route (`selectRateLimit`), for every route that is registered after this call. It
 * runs after the policy check (see `registerPolicies`), because it needs the caller or the integration, and before the
 * body arrives. Only a hook without `Content-Length` pays for the size of its body later, when it has arrived. A
 * request over its limit fails with `ServiceError` `rate-limited` (429); if the limiter fails, with the limiter's
 * error.
 */
export function registerRateLimits(app: FastifyInstance, deps: RateLimitDeps): void {
  app.addHook('onRoute', (route) => {
    const rateLimit = selectRateLimit(route.config?.policy ?? 'public');
    if (rateLimit === 'hooks') {
      route.preValidation = [createUnstatedSizeCheck(deps.hookPermits), ...[route.preValidation ?? []].flat()];
    }
    const bodyLimit = route.bodyLimit ?? app.initialConfig.bodyLimit ?? Number.POSITIVE_INFINITY;
    const check = compileRateLimit(rateLimit, deps, bodyLimit);
    if (check !== null) route.onRequest = [...[route.onRequest ?? []].flat(), check];
  });
}

function compileRateLimit(
  rateLimit: RouteRateLimit | null,
  { limiter, apiLimit, hookPermits }: RateLimitDeps,
  bodyLimit: number,
): onRequestHookHandler | null {
  if (rateLimit === 'hooks') return createHookCheck(hookPermits, bodyLimit);
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
function createHookCheck(permits: HookTaker, bodyLimit: number): onRequestHookHandler {
  return (request, reply, done) => {
    const bytes = readContentLength(request) ?? 0;
    // A larger body is not read (`payload-too-large`), so it costs no more than the smallest.
    const isRead = bytes <= bodyLimit;
    takePermits(permits, { count: countPermits(isRead ? bytes : 0), takenBefore: 0 }, request, reply, done);
  };
}

/** Makes the check of a body whose size is known only now that it has arrived. Its first permit was taken before. */
function createUnstatedSizeCheck(permits: HookTaker): preValidationHookHandler {
  return (request, reply, done) => {
    const furtherPermits = readContentLength(request) === null ? countBodyPermits(request) - 1 : 0;
    if (furtherPermits === 0) done();
    else takePermits(permits, { count: furtherPermits, takenBefore: 1 }, request, reply, done);
  };
}

const countBodyPermits = (request: FastifyRequest) => countPermits(getBodyBytes(request).length);

function takePermits(
  hookPermits: HookTaker,
  { count, takenBefore }: { readonly count: number; readonly takenBefore: number },
  { integration }: FastifyRequest,
  reply: FastifyReply,
  done: (error?: Error) => void,
): void {
  if (integration === null) {
    throw new Error("The route counts against the rate limit 'hooks', but does not have the policy 'hook-token'.");
  }
  const finish = (verdict: PermitVerdict) => {
    if (verdict.status === 'granted') return done();
    hookPermits.giveBack(integration.id, takenBefore);
    return done(toRateLimitedError(reply, 'hooks', verdict));
  };
  const verdict = hookPermits.take(integration, count, takenBefore);
  if (verdict instanceof Promise) verdict.then(finish, done);
  else finish(verdict);
}

/** Returns null without the header. Node's parser has checked its form. */
function readContentLength({ headers }: FastifyRequest): number | null {
  const header = headers['content-length'];
  return header === undefined ? null : Number(header);
}
