import type { RateLimit, RateOutcome } from '../../domain/gcra.ts';
import { sha256Hex } from '../../domain/token.ts';
import type { RateLimiter } from '../../ports/rate-limiter.ts';

type TooManyFailures = Exclude<SignInPermit, { readonly status: 'granted' }>;

/** Where a password attempt comes from. */
export interface AttemptSource {
  /** The client's address, or the /64 network of an IPv6 address. */
  readonly address: string;
  /** Whether many clients may share the address: the request seems to come through a proxy that is not declared. */
  readonly isShared: boolean;
}

/** One attempt to verify a password. */
interface PasswordAttempt {
  readonly email: string;
  readonly source: AttemptSource;
}

/**
 * Makes the function that runs a password attempt unless there were too many failures before. Beyond the limit it runs
 * nothing: no account is read, no password is hashed. Only an attempt with the status `refused` counts as a failure; an
 * attempt that throws does not.
 */
export function makeLimitPasswordAttempts(takePermit: ReturnType<typeof makeTakeSignInPermit>) {
  return async <Outcome extends { readonly status: string }>(
    { email, source }: PasswordAttempt,
    run: () => Promise<Outcome>,
  ): Promise<Outcome | TooManyFailures> => {
    const permit = await takePermit(email, source);
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
  /** Failures per minute, account and address. The other limits are multiples of it. 0 switches all limits off. */
  readonly failuresPerMinute: number;
}

export type SignInPermit =
  /** Call `giveBack` if the attempt did not fail: only failures count. */
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
/** How many times as many failures a shared address may have. */
const sharedAddressFactor = 10;
const accountHourFactor = 20;

/**
 * Makes the function that takes a permit for a password attempt. The caller takes it before the password is verified,
 * so that concurrent attempts cannot exceed the limits. Failures are limited per account and address (per minute), per
 * address (6 times as many per minute), and per account (20 times as many per hour).
 *
 * Known and unknown accounts are limited alike, by a digest of the e-mail. The limit per address is ten times as large for
 * a shared address. Both limits use one bucket, because they have the same window: a client that adds or removes
 * forwarding headers gains nothing.
 */
export function makeTakeSignInPermit({ limiter, failuresPerMinute }: SignInLimitsDeps) {
  const perMinute = (count: number): RateLimit => ({ ratePerSecond: count / 60, burst: count });
  const limits = {
    accountAndAddress: perMinute(failuresPerMinute),
    address: perMinute(failuresPerMinute * addressFactor),
    sharedAddress: perMinute(failuresPerMinute * addressFactor * sharedAddressFactor),
    account: {
      ratePerSecond: (failuresPerMinute * accountHourFactor) / 3_600,
      burst: failuresPerMinute * accountHourFactor,
    },
  };

  function listLimits(email: string, { address, isShared }: AttemptSource): KeyedLimit[] {
    const account = sha256Hex(email.toLowerCase());
    return [
      { key: `sign-in:account:${account}:${address}`, limit: limits.accountAndAddress },
      { key: `sign-in:account:${account}`, limit: limits.account },
      { key: `sign-in:address:${address}`, limit: isShared ? limits.sharedAddress : limits.address },
    ];
  }

  return async (email: string, source: AttemptSource): Promise<SignInPermit> => {
    if (failuresPerMinute === 0) return { status: 'granted', giveBack: async () => undefined };
    const takes = await Promise.all(
      listLimits(email, source).map(async (keyedLimit) => ({
        ...keyedLimit,
        outcome: await limiter.take({ ...keyedLimit, atLeast: 1, atMost: 1 }),
      })),
    );
    const giveBack = async () => {
      const granted = takes.filter(({ outcome }) => outcome.granted > 0);
      await Promise.all(granted.map(({ key, limit }) => limiter.giveBack(key, limit, 1)));
    };
    const exceeded = findLongestWait(takes);
    if (exceeded === null) return { status: 'granted', giveBack };
    // A rate-limited attempt does not run, so it is no failure.
    await giveBack();
    const { retryAfterMs, resetAfterMs } = exceeded.outcome;
    return { status: 'rate-limited', limit: exceeded.limit, retryAfterMs, resetAfterMs };
  };
}

type LimitTake = KeyedLimit & { readonly outcome: RateOutcome };

/** Returns the exceeded limit with the longest wait, or null if no limit is exceeded. */
function findLongestWait(takes: readonly LimitTake[]): LimitTake | null {
  const exceeded = takes.filter(({ outcome }) => outcome.granted === 0);
  const [longest] = exceeded.sort((a, b) => b.outcome.retryAfterMs - a.outcome.retryAfterMs);
  return longest ?? null;
}
