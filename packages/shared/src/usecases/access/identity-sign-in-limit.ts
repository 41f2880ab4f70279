import type { RateLimiter } from '../../ports/rate-limiter.ts';
import { type AttemptSource, computeSignInLimits } from './sign-in-limits.ts';
import { type Permit, takePermit, unlimited } from './take-permit.ts';

export interface IdentitySignInLimitDeps {
  readonly limiter: RateLimiter;
  /** The same setting as for passwords. 0 switches the limit off. */
  readonly failuresPerMinute: number;
}

/**
 * Makes the function that takes a permit for one response of an identity provider. The limit is that of failed sign-ins
 * per address, with a count of its own: nobody guesses an account here, so there is no limit per account. The caller
 * gives the permit back unless the sign-in failed by the client's own fault.
 */
export function makeTakeIdentitySignInPermit({ limiter, failuresPerMinute }: IdentitySignInLimitDeps) {
  const limits = computeSignInLimits(failuresPerMinute);
  return async ({ address, isShared }: AttemptSource): Promise<Permit> => {
    if (failuresPerMinute === 0) return unlimited;
    return takePermit(limiter, `identity-sign-in:address:${address}`, isShared ? limits.sharedAddress : limits.address);
  };
}

/**
 * Makes the function that takes a permit for the start of a sign-in through the identity provider. Every start counts,
 * also those that succeed, so an address has as many as a shared address has failures: many people may be behind it.
 */
export function makeTakeIdentityStartPermit({ limiter, failuresPerMinute }: IdentitySignInLimitDeps) {
  const { sharedAddress: limit } = computeSignInLimits(failuresPerMinute);
  return async ({ address }: AttemptSource): Promise<Permit> => {
    if (failuresPerMinute === 0) return unlimited;
    return takePermit(limiter, `identity-start:address:${address}`, limit);
  };
}
