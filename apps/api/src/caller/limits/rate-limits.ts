import type { RateLimit } from '@widget-service/shared/domain/gcra.ts';
import type { Integration } from '@widget-service/shared/ports/grant-store.ts';
import type { RateLimiter } from '@widget-service/shared/ports/rate-limiter.ts';
import type {
  FastifyInstance,
  FastifyReply,
  FastifyRequest,
  onRequestHookHandler,
  preValidationHookHandler,
} from 'fastify';
import { type RoutePolicy, requirePrincipalId } from '../policy.ts';
import type { HookPermits, HookRefusalByRate } from './hook-permits.ts';
import { setRateLimitHeaders, toRateLimitedError } from './rate-limit-headers.ts';

/**
 * `api` counts requests per principal, `hooks` counts hooks and their bytes per integration. The settings give the rates (`toRateLimits`).
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
  readonly hookPermits: Pick<HookPermits, 'take' | 'takeBytes'>;
}

/**
 * Enforces the rate limit of each route (`selectRateLimit`), for every route that is registered after this call. The check
 * runs before the body is read, except for the bytes of a body without `Content-Length`. It runs after the policy check (see `registerPolicies`), because it
 * needs the caller or the integration. A request over its limit fails with `ServiceError` `rate-limited` (429); if the
 * limiter fails, with the limiter's error.
 */
export function registerRateLimits(app: FastifyInstance, deps: RateLimitDeps): void {
  app.addHook('onRoute', (route) => {
    const rateLimit = selectRateLimit(route.config?.policy ?? 'public');
    if (rateLimit === 'hooks') {
      route.preValidation = [createChunkedBodyCheck(deps.hookPermits), ...[route.preValidation ?? []].flat()];
    }
    const check = compileRateLimit(rateLimit, deps);
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
 * Makes the check of posted hooks, for the limits of hooks and of bytes. It creates no promise while leased permits are
 * left. Of the answers to hooks, only a 429 has rate limit headers: the pod does not know how many permits are left for
 * all pods.
 */
function createHookCheck(permits: Pick<HookPermits, 'take'>): onRequestHookHandler {
  return (request, reply, done) => {
    const bytes = readContentLength(request) ?? 0;
    // A larger body is not read (`payload-too-large`), so it costs no bytes.
    const isRead = bytes <= request.routeOptions.bodyLimit;
    finish(permits.take(requireIntegration(request), isRead ? bytes : 0), reply, done);
  };
}

/** Makes the check of a body that came without `Content-Length`: its bytes are known only after it was read. */
function createChunkedBodyCheck(permits: Pick<HookPermits, 'takeBytes'>): preValidationHookHandler {
  return (request, reply, done) => {
    const { bodyText } = request;
    if (bodyText === null || readContentLength(request) !== null) return done();
    const startedAtMs = performance.now();
    finish(permits.takeBytes(requireIntegration(request).id, Buffer.byteLength(bodyText)), reply, (error) => {
      // The wait for this limit counts against the deadline like that before the body (`withinRequestDeadline`).
      request.elapsedBeforeBodyMs += performance.now() - startedAtMs;
      done(error);
    });
  };
}

function finish(
  verdict: ReturnType<HookPermits['take']>,
  reply: FastifyReply,
  done: (error?: Error | undefined) => void,
): void {
  if (verdict === null) done();
  else if (!(verdict instanceof Promise)) done(toHookError(reply, verdict));
  else verdict.then((refusal) => done(refusal === null ? undefined : toHookError(reply, refusal)), done);
}

function requireIntegration({ integration }: FastifyRequest): Integration {
  if (integration === null) {
    throw new Error("The route counts against the rate limit 'hooks', but does not have the policy 'hook-token'.");
  }
  return integration;
}

/** Returns null without the header. Node's parser has checked its form. */
function readContentLength({ headers }: FastifyRequest): number | null {
  const header = headers['content-length'];
  return header === undefined ? null : Number(header);
}

const toHookError = (reply: FastifyReply, refusal: HookRefusalByRate) =>
  toRateLimitedError(reply, refusal.name, refusal);
