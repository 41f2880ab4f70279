import { MemoryRateLimiter } from '@widget-service/shared/adapters/memory-rate-limiter.ts';
import type { Settings } from '@widget-service/shared/config/settings.ts';
import { ServiceError } from '@widget-service/shared/domain/errors.ts';
import { type RateLimit, type RateOutcome, type RateRefusal, toRateLimit } from '@widget-service/shared/domain/gcra.ts';
import type { Integration } from '@widget-service/shared/entities/grant.ts';
import type {
  FastifyInstance,
  FastifyReply,
  FastifyRequest,
  onRequestHookHandler,
  onResponseHookHandler,
  preValidationHookHandler,
} from 'fastify';
import { readClientNetwork } from '../../http/forwarding.ts';
import type { Problem } from '../../http/problem.ts';
import { requirePrincipalId } from '../enforce-policy.ts';
import { countPermits, HookPermits, type HookPermitsDeps, type PermitVerdict } from './hook-permits.ts';

/** The limits of a pod. Null: no limit. */
export interface RateLimits {
  /** Per principal. */
  readonly api: RateLimit | null;
  /** Per integration, for those without a rate of their own. */
  readonly hooks: RateLimit | null;
  /** Per provision token. */
  readonly widgets: RateLimit | null;
  /** New sessions per user. */
  readonly signIns: RateLimit | null;
}

/** New sessions of one user. A person needs a few a day, and a script one for each run. */
const signIns: RateLimit = { ratePerSecond: 0.1, burst: 120 };

/**
 * Widgets that a provision token may create: at once, and in each hour after that. Nothing removes one, so a leaked
 * token must not create at its whole rate of requests for long: at 50 a second, that were 180 000 an hour. An operator
 * who raises the rate raises this, too.
 */
const widgetsPerHour = (api: number) => 200 * Math.max(50, api);

/** A rate of 0 is no limit. */
export function toRateLimits({ HOOK_RATE_PER_SECOND: hooks, API_RATE_PER_SECOND: api }: Settings): RateLimits {
  const burst = widgetsPerHour(api);
  return {
    hooks: hooks === 0 ? null : toRateLimit(hooks),
    api: api === 0 ? null : toRateLimit(api),
    widgets: api === 0 ? null : { ratePerSecond: burst / 3_600, burst },
    signIns,
  };
}

/**
 * Makes the function that counts a request of a known caller against the limit of the principal, before the permission
 * and the CSRF token are checked: a request that is refused counts, too. It throws `ServiceError` `rate-limited` (429),
 * or the limiter's error. Null: there is no limit.
 */
export function makeTakeApiPermit({ limiter, limit }: Omit<HookPermitsDeps, 'clock'>) {
  if (limit === null) return null;
  return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const key = `api:${requirePrincipalId(request)}`;
    const outcome = await limiter.take({ key, limit, atLeast: 1, atMost: 1 });
    setRateLimitHeaders(reply, 'api', limit, outcome);
    if (outcome.granted === 0) throw toRateLimitedError(reply, 'api', { limit, ...outcome });
  };
}

/**
 * Enforces the rate limit of hooks, for every route with the policy `hook-token` that is registered after this call. A
 * hook over its limit fails with `rate-limited` (429); if the limiter fails, with the limiter's error. Call it before
 * `registerJsonBodies`: the second of its steps must come after `readBody`, which verifies the signature.
 *
 * 1. Before the body is read, a hook pays for the length that it states. A hook that must be signed pays nothing yet:
 *    nobody but the sender may use up the sender's limit. It is refused if the limit is known to be used up.
 * 2. After the body was read, and its signature verified, a hook pays what it has not paid for the bytes that were
 *    read.
 * 3. A hook that is refused between 1 and 2 pays after the response: the integration pays, if its sender is proven or
 *    need not be. Otherwise a limit of the same rate pays, which this pod keeps per client network and integration.
 */
export function registerHookLimits(app: FastifyInstance, { limiter, limit, clock }: HookPermitsDeps): void {
  const permits = new HookPermits({ limiter, limit, clock });
  const strangerPermits = new HookPermits({ limiter: new MemoryRateLimiter(clock), limit, clock });
  app.addHook('onRoute', (route) => {
    if (route.config?.policy !== 'hook-token') return;
    const bodyLimit = route.bodyLimit ?? app.initialConfig.bodyLimit ?? Number.POSITIVE_INFINITY;

    // They use callbacks: while the pod has leased permits, a hook costs no promise. Of the answers to hooks, only a
    // 429 has rate limit headers: the pod does not know how many permits are left for all pods.
    const payStated: onRequestHookHandler = (request, reply, done) => {
      const integration = requireIntegration(request);
      if (isSigned(request, integration)) {
        const refusal =
          permits.findRefusal(integration) ?? strangerPermits.findRefusal(toStranger(request, integration));
        return done(refusal === null ? undefined : toRateLimitedError(reply, 'hooks', refusal));
      }
      const bytes = readContentLength(request) ?? 0;
      // A body above the limit is refused unread (`payload-too-large`): one permit.
      take(request, reply, countPermits(bytes <= bodyLimit ? bytes : 0), done);
    };
    const payRead: preValidationHookHandler = (request, reply, done) => {
      const count = countPermits(request.bodyBytes);
      if (count > request.hookPermitsTaken) take(request, reply, count, done);
      else done();
    };

    const payRefused: onResponseHookHandler = (request, _reply, done) => {
      done();
      const { integration, problem, isSenderVerified, hookPermitsTaken } = request;
      if (integration === null || problem === null || problem.code === 'rate-limited') return;
      const count = countPermits(countBytesRead(request, problem, bodyLimit)) - hookPermitsTaken;
      if (count <= 0) return;
      const isStranger = isSigned(request, integration) && !isSenderVerified;
      const verdict = isStranger
        ? strangerPermits.take(toStranger(request, integration), count)
        : permits.take(integration, count, hookPermitsTaken);
      // Without the limiter, nobody can be refused.
      if (verdict instanceof Promise) verdict.catch(() => undefined);
    };
    route.onRequest = [...[route.onRequest ?? []].flat(), payStated];
    route.preValidation = [payRead, ...[route.preValidation ?? []].flat()];
    route.onResponse = [payRefused, ...[route.onResponse ?? []].flat()];
  });

  /** Takes what is missing of `count` permits for a hook. */
  function take(request: FastifyRequest, reply: FastifyReply, count: number, done: (error?: Error) => void): void {
    const integration = requireIntegration(request);
    const takenBefore = request.hookPermitsTaken;
    const finish = (verdict: PermitVerdict) => {
      if (verdict.status === 'granted') {
        request.hookPermitsTaken = count;
        done();
      } else {
        permits.giveBack(integration.id, takenBefore);
        done(toRateLimitedError(reply, 'hooks', verdict));
      }
    };
    const verdict = permits.take(integration, count - takenBefore, takenBefore);
    if (verdict instanceof Promise) verdict.then(finish, done);
    else finish(verdict);
  }
}

function requireIntegration({ integration }: FastifyRequest): Integration {
  if (integration === null) throw new Error("A route with a limit of hooks must have the policy 'hook-token'.");
  return integration;
}

/** Whether a hook must prove who sent it, by a signature or a secret. The sender of a preset always must. */
function isSigned({ hookToken }: FastifyRequest, { source }: Integration): boolean {
  return source === null ? hookToken?.sealedSecret !== null : source.scheme?.algorithm !== 'none';
}

function toStranger(request: FastifyRequest, { id, rate }: Integration): Pick<Integration, 'id' | 'rate'> {
  return { id: `${id} ${readClientNetwork(request)}`, rate };
}

/** A body of no stated length is read up to the limit before it is refused. */
function countBytesRead(request: FastifyRequest, { code }: Problem, bodyLimit: number): number {
  const isCut = code === 'payload-too-large' && request.bodyBytes === 0 && readContentLength(request) === null;
  return isCut ? bodyLimit : request.bodyBytes;
}

/** Returns null without the header. Node's parser has checked its form. */
function readContentLength({ headers }: FastifyRequest): number | null {
  const header = headers['content-length'];
  return header === undefined ? null : Number(header);
}

/** Names in response headers. `api` counts requests per principal, `hooks` hooks per integration (`countPermits`). */
type RateLimitName = 'api' | 'hooks' | 'sign-in' | 'widgets';

/**
 * Sets `RateLimit-Policy` and `RateLimit` (draft-ietf-httpapi-ratelimit-headers-10).
 * - `q`: the burst, the number of requests that may come at once.
 * - `w`: seconds in which a burst that is used up becomes available again, at least 1.
 * - `r`: requests left now.
 * - `t`: seconds until the whole burst is available again.
 */
function setRateLimitHeaders(
  reply: FastifyReply,
  name: RateLimitName,
  { ratePerSecond, burst }: RateLimit,
  { remaining, resetAfterMs }: Pick<RateOutcome, 'remaining' | 'resetAfterMs'>,
): void {
  // Round to 6 digits first: 11 per minute is 0.18333… per second, and 11 / 0.18333… is slightly more than 60 seconds.
  const windowSeconds = Math.max(1, Math.ceil(Number((burst / ratePerSecond).toFixed(6))));
  reply.header('ratelimit-policy', `"${name}";q=${burst};w=${windowSeconds}`);
  reply.header('ratelimit', `"${name}";r=${remaining};t=${Math.ceil(resetAfterMs / 1_000)}`);
}

/** Sets `RateLimit-Policy`, `RateLimit` and `Retry-After`, and returns the `ServiceError` `rate-limited` to throw. */
export function toRateLimitedError(
  reply: FastifyReply,
  name: RateLimitName,
  refusal: RateRefusal,
  detail = 'Too many requests. Wait as long as Retry-After says.',
): ServiceError {
  setRateLimitHeaders(reply, name, refusal.limit, { remaining: 0, resetAfterMs: refusal.resetAfterMs });
  reply.header('retry-after', String(Math.max(1, Math.ceil(refusal.retryAfterMs / 1_000))));
  return new ServiceError('rate-limited', detail);
}
