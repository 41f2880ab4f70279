import type { RateLimit, RateOutcome } from '../../domain/gcra.ts';
import { sha256Hex } from '../../domain/token.ts';
import type { RateLimiter } from '../../ports/rate-limiter.ts';

type TooManyFailures = Exclude<SignInPermit, { readonly status: 'granted' }>;

/** Whose password is tried, and from where (see `createSignInLimits`). */
export interface PasswordAttempt {
  readonly email: string;
  readonly address: string | null;
}

/**
 * Runs a try of a password as long as there were not too many failures before: else nothing is looked up and no
 * password hashed. A try counts when it was `refused`; one that could not be decided is no failure.
 */
export function makeLimitPasswordAttempts(takePermit: ReturnType<typeof makeTakeSignInPermit>) {
  return async <Outcome extends { readonly status: string }>(
    { email, address }: PasswordAttempt,
    run: () => Promise<Outcome>,
  ): Promise<Outcome | TooManyFailures> => {
    const permit = await takePermit(email, address);
    if (permit.status === 'rate-limited') return permit;
    let hasFailed = false;
    try {
      const outcome = await run();
      hasFailed = outcome.status === 'refused';
      return outcome;
    } finally {
      if (!hasFailed) await permit.giveBack();
    }
  };
}

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
export function makeTakeSignInPermit({ limiter, failuresPerMinute }: SignInLimitsDeps) {
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
    const account = sha256Hex(email.toLowerCase());
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
