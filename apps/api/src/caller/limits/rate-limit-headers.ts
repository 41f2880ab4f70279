import { ServiceError } from '@widget-service/shared/domain/errors.ts';
import type { RateLimit, RateOutcome } from '@widget-service/shared/domain/gcra.ts';
import type { FastifyReply } from 'fastify';

/** The names of the rate limits in response headers. */
type RateLimitName = 'api' | 'hooks' | 'sign-in' | 'widgets';

/**
 * A rate limit refuses a request. `retryAfterMs`: until one more request is allowed. `resetAfterMs`: until the whole
 * burst is available again.
 */
export interface RateRefusal extends Pick<RateOutcome, 'retryAfterMs' | 'resetAfterMs'> {
  readonly limit: RateLimit;
}

/**
 * Sets `RateLimit-Policy` and `RateLimit` (draft-ietf-httpapi-ratelimit-headers-10).
 * - `q`: the burst, the number of requests that may come at once.
 * - `w`: seconds in which a burst that is used up becomes available again, at least 1.
 * - `r`: requests left now.
 * - `t`: seconds until the whole burst is available again.
 */
export function setRateLimitHeaders(
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
