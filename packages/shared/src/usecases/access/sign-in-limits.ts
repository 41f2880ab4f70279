import type { RateLimit, RateOutcome } from '../../domain/gcra.ts';
import { digestOf } from '../../domain/token.ts';
import type { RateLimiter } from '../../ports/rate-limiter.ts';

export interface SignInLimitsDeps {
  readonly limiter: RateLimiter;
  /** Per account and address; the other limits follow from it. 0 switches all of them off. */
  readonly failuresPerMinute: number;
}

export type SignInPermit =
  /** `giveBack` when the attempt did not fail: only failures count. */
  | { readonly status: 'granted'; readonly giveBack: () => Promise<void> }
  | {
      readonly status: 'rate-limited';
      readonly limit: RateLimit;
      readonly retryAfterMs: number;
      readonly resetAfterMs: number;
    };

interface KeyedLimit {
  readonly key: string;
  readonly limit: RateLimit;
}

const addressFactor = 6;
const accountHourFactor = 20;

/**
 * Permits for attempts to sign in. One is taken before the password is looked at, so that many attempts at once
 * cannot slip through. Known and unknown accounts are limited alike, by a digest of the e-mail. An `address` of null
 * stands for callers that cannot be told apart: they have no limit per address, but their account has its own.
 */
export function createSignInLimits({ limiter, failuresPerMinute }: SignInLimitsDeps) {
  const perMinute = (count: number): RateLimit => ({ ratePerSecond: count / 60, burst: count });
  const limits = {
    accountAndAddress: perMinute(failuresPerMinute),
    address: perMinute(failuresPerMinute * addressFactor),
    account: {
      ratePerSecond: (failuresPerMinute * accountHourFactor) / 3_600,
      burst: failuresPerMinute * accountHourFactor,
    },
  };

  function limitsOf(email: string, address: string | null): KeyedLimit[] {
    const account = digestOf(email.toLowerCase());
    const perAddress = address === null ? [] : [{ key: `sign-in:address:${address}`, limit: limits.address }];
    return [
      { key: `sign-in:account:${account}:${address ?? 'anywhere'}`, limit: limits.accountAndAddress },
      { key: `sign-in:account:${account}`, limit: limits.account },
      ...perAddress,
    ];
  }

  return async (email: string, address: string | null): Promise<SignInPermit> => {
    if (failuresPerMinute === 0) return { status: 'granted', giveBack: async () => undefined };
    const taken = await Promise.all(
      limitsOf(email, address).map(async (each) => ({
        ...each,
        outcome: await limiter.take({ ...each, atLeast: 1, atMost: 1 }),
      })),
    );
    const giveBack = async () => {
      const granted = taken.filter(({ outcome }) => outcome.granted > 0);
      await Promise.all(granted.map(({ key, limit }) => limiter.giveBack(key, limit, 1)));
    };
    const refused = longestRefusal(taken);
    if (refused === null) return { status: 'granted', giveBack };
    // What was refused was not tried, and is no failure.
    await giveBack();
    const { retryAfterMs, resetAfterMs } = refused.outcome;
    return { status: 'rate-limited', limit: refused.limit, retryAfterMs, resetAfterMs };
  };
}

type TakenLimit = KeyedLimit & { readonly outcome: RateOutcome };

function longestRefusal(taken: readonly TakenLimit[]): TakenLimit | null {
  const refused = taken.filter(({ outcome }) => outcome.granted === 0);
  const [longest] = refused.sort((one, other) => other.outcome.retryAfterMs - one.outcome.retryAfterMs);
  return longest ?? null;
}
