import { ServiceError } from '@widget-service/shared/domain/errors.ts';
import type { RateLimit, RateOutcome } from '@widget-service/shared/domain/gcra.ts';
import type { FastifyReply } from 'fastify';

/** The limits that callers are told of, by these names. */
export type RateLimitName = 'api' | 'hooks' | 'sign-in';

export interface RateRefusal extends Pick<RateOutcome, 'retryAfterMs' | 'resetAfterMs'> {
  readonly limit: RateLimit;
}

/**
 * Tells how much of a limit is left (draft-ietf-httpapi-ratelimit-headers-10): `q` is how many may come at once, `w`
 * after how many seconds all of them are there again, `r` how many are left, `t` the seconds until all are.
 */
export function setRateLimitHeaders(
  reply: FastifyReply,
  name: RateLimitName,
  { ratePerSecond, burst }: RateLimit,
  { remaining, resetAfterMs }: Pick<RateOutcome, 'remaining' | 'resetAfterMs'>,
): void {
  // Rounded first: five a minute are 0.08333 a second, and that makes a little more than 60 seconds.
  const windowSeconds = Math.max(1, Math.ceil(Number((burst / ratePerSecond).toFixed(6))));
  reply.header('ratelimit-policy', `"${name}";q=${burst};w=${windowSeconds}`);
  reply.header('ratelimit', `"${name}";r=${remaining};t=${Math.ceil(resetAfterMs / 1_000)}`);
}

/** The error to answer with, after the reply was given the headers of a refusal. */
export function toRateLimitedError(reply: FastifyReply, name: RateLimitName, refusal: RateRefusal): ServiceError {
  setRateLimitHeaders(reply, name, refusal.limit, { remaining: 0, resetAfterMs: refusal.resetAfterMs });
  reply.header('retry-after', String(Math.max(1, Math.ceil(refusal.retryAfterMs / 1_000))));
  return new ServiceError('rate-limited', 'Too many requests: wait as long as Retry-After says.');
}
