import type { RateLimit, RateOutcome } from '../../domain/gcra.ts';
import { sha256Hex } from '../../domain/token.ts';
import type { User } from '../../entities/user.ts';
import type { Collection } from '../../ports/collection.ts';
import type { RateLimiter } from '../../ports/rate-limiter.ts';
import type { makeRecognizeBrowser } from './recognize-browser.ts';
import { type Permit, takePermit, unlimited } from './take-permit.ts';

export type RateLimited = Exclude<Permit, { readonly status: 'granted' }>;

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
  /** The device cookie of the request, unverified. */
  readonly deviceCookie: string | null;
}

export interface LimitPasswordAttemptsDeps {
  readonly takePermit: ReturnType<typeof makeTakeSignInPermit>;
  readonly recognizeBrowser: ReturnType<typeof makeRecognizeBrowser>;
}

/**
 * Makes the function that runs a password attempt unless there were too many failures before. Beyond the limit it runs
 * nothing: no password is hashed, and no account is read, except to verify a device cookie. Only an attempt with the
 * status `refused` counts as a failure; an attempt that throws does not.
 */
export function makeLimitPasswordAttempts({ takePermit, recognizeBrowser }: LimitPasswordAttemptsDeps) {
  return async <Outcome extends { readonly status: string }>(
    { email, source, deviceCookie }: PasswordAttempt,
    run: () => Promise<Outcome>,
  ): Promise<Outcome | RateLimited> => {
    const browser = await recognizeBrowser(email, deviceCookie, source.address);
    const permit = await takePermit(email, source, browser);
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

interface KeyedLimit {
  readonly key: string;
  readonly limit: RateLimit;
}

/**
 * Failures of one account and address per minute. A person who mistypes seldom needs more; who guesses a password of 12
 * characters gets nowhere with it.
 */
export const signInFailuresPerMinute = 5;
/** Failures of one address per minute, as a multiple of those of one account and address. */
const addressFactor = 6;
/** How many times as many failures a shared address may have. */
const sharedAddressFactor = 10;
const accountHourFactor = 20;

/** Returns the limits of failures. */
export function computeSignInLimits(failuresPerMinute: number) {
  const perMinute = (count: number): RateLimit => ({ ratePerSecond: count / 60, burst: count });
  const perHour = failuresPerMinute * accountHourFactor;
  return {
    accountAndAddress: perMinute(failuresPerMinute),
    address: perMinute(failuresPerMinute * addressFactor),
    sharedAddress: perMinute(failuresPerMinute * addressFactor * sharedAddressFactor),
    account: { ratePerSecond: perHour / 3_600, burst: perHour },
  };
}

const toAccountKey = (email: string): string => `sign-in:account:${sha256Hex(email.toLowerCase())}`;

/**
 * Makes the function that takes a permit for a password attempt. The caller takes it before the password is verified,
 * so that concurrent attempts cannot exceed the limits. Failures are limited per account and address (per minute), per
 * address (6 times as many per minute), and per account (20 times as many per hour).
 *
 * A known browser (`makeRecognizeBrowser`) has a limit of its own instead: as many failures as an account and address
 * per minute, and as many as an account per hour. So strangers cannot lock it out, and its failures do not count for
 * others.
 *
 * Known and unknown accounts are limited alike, by a digest of the e-mail. The limit per address is ten times as large
 * for a shared address. Both limits use one bucket, because they have the same window: a client that adds or removes
 * forwarding headers gains nothing.
 */
export function makeTakeSignInPermit({ limiter, failuresPerMinute }: SignInLimitsDeps) {
  const limits = computeSignInLimits(failuresPerMinute);

  function listLimits(email: string, { address, isShared }: AttemptSource, browser: string | null): KeyedLimit[] {
    if (browser !== null) {
      return [
        { key: `sign-in:browser:${browser}`, limit: limits.accountAndAddress },
        { key: `sign-in:browser-hour:${browser}`, limit: limits.account },
      ];
    }
    const account = toAccountKey(email);
    return [
      { key: `${account}:${address}`, limit: limits.accountAndAddress },
      { key: account, limit: limits.account },
      { key: `sign-in:address:${address}`, limit: isShared ? limits.sharedAddress : limits.address },
    ];
  }

  return async (email: string, source: AttemptSource, browser: string | null): Promise<Permit> => {
    if (failuresPerMinute === 0) return unlimited;
    const takes = await Promise.all(
      listLimits(email, source, browser).map(async (keyedLimit) => ({
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

/**
 * Makes the function that takes a permit for a user who has proven who they are, before a new session starts. Each
 * session has audit events, which are kept for long. Strangers cannot use up this limit.
 */
export function makeTakeUserPermit(limiter: RateLimiter, limit: RateLimit | null) {
  return (userId: string): Promise<Permit> => takePermit(limiter, `sign-in:user:${userId}`, limit);
}

export interface UnlockUserDeps extends SignInLimitsDeps {
  readonly users: Pick<Collection<User>, 'get'>;
}

/**
 * Makes the function by which an admin forgets the failed sign-ins of a user's account, so that the user can sign in
 * from any browser. The failures of one address stay: that limit ends within a minute. Returns the user, or null if
 * there is none. Throws `UnavailableError`.
 */
export function makeUnlockUser({ users, limiter, failuresPerMinute }: UnlockUserDeps) {
  const { account: limit } = computeSignInLimits(failuresPerMinute);
  return async (userId: string): Promise<User | null> => {
    const user = await users.get(userId);
    if (user === null) return null;
    if (failuresPerMinute > 0) await limiter.giveBack(toAccountKey(user.email), limit, limit.burst);
    return user;
  };
}

type LimitTake = KeyedLimit & { readonly outcome: RateOutcome };

/** Returns the exceeded limit with the longest wait, or null if no limit is exceeded. */
function findLongestWait(takes: readonly LimitTake[]): LimitTake | null {
  const exceeded = takes.filter(({ outcome }) => outcome.granted === 0);
  const [longest] = exceeded.sort((a, b) => b.outcome.retryAfterMs - a.outcome.retryAfterMs);
  return longest ?? null;
}
