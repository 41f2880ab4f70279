import type { RateLimit, RateRefusal } from '../../domain/gcra.ts';
import { sha256Hex } from '../../domain/token.ts';
import type { RateLimiter } from '../../ports/rate-limiter.ts';

export type Permit =
  /** Call `giveBack` if the attempt turns out not to count. */
  { readonly status: 'granted'; readonly giveBack: () => Promise<void> } | RateLimited;

export type RateLimited = { readonly status: 'rate-limited' } & RateRefusal;

export const unlimited: Permit = { status: 'granted', giveBack: async () => undefined };

/** Takes one permit of a limit, for a key. Null: there is no limit. Throws `UnavailableError`. */
export async function takePermit(limiter: RateLimiter, key: string, limit: RateLimit | null): Promise<Permit> {
  if (limit === null) return unlimited;
  const { granted, retryAfterMs, resetAfterMs } = await limiter.take({ key, limit, atLeast: 1, atMost: 1 });
  if (granted === 0) return { status: 'rate-limited', limit, retryAfterMs, resetAfterMs };
  return { status: 'granted', giveBack: async () => void (await limiter.giveBack(key, limit, 1)) };
}

/** Where an attempt to sign in comes from. */
export interface AttemptSource {
  /** The client's address, or the /64 network of an IPv6 address. */
  readonly address: string;
  /** Whether many clients may share the address: the request seems to come through a proxy that is not declared. */
  readonly isShared: boolean;
}

interface SignInAttempt {
  /** Of the account. Null: the identity provider says only later who it is. */
  readonly email: string | null;
  readonly source: AttemptSource;
}

/**
 * Failures of one account and address per minute. Enough for a person who mistypes, and far too few to guess a password
 * of 12 characters.
 */
export const signInFailuresPerMinute = 5;
/** An address may have this many times the failures of one account and address. */
const addressFactor = 6;
/** A shared address may have this many times the failures of another address. */
const sharedAddressFactor = 10;

/**
 * Limits attempts to sign in. Known and unknown accounts are limited alike, by a digest of the e-mail. Failures are
 * limited per account and address, and per address (6 times as many). No limit counts the failures of an account from
 * all addresses: strangers could then lock its user out.
 *
 * The limit per address is ten times as large for a shared address. Both use one bucket, because they have the same
 * window: a client that adds or removes forwarding headers gains nothing.
 */
export class SignInLimits {
  readonly #limiter: RateLimiter;
  readonly #failuresPerMinute: number;
  readonly #perUser: RateLimit | null;

  /**
   * `failuresPerMinute`: per account and address. That of an address is a multiple of it. 0 switches both limits off.
   * `perUser`: new sessions of one user. Null: no limit.
   */
  constructor(limiter: RateLimiter, failuresPerMinute: number, perUser: RateLimit | null) {
    this.#limiter = limiter;
    this.#failuresPerMinute = failuresPerMinute;
    this.#perUser = perUser;
  }

  /**
   * Runs an attempt unless there were too many failures before. Beyond a limit it runs nothing: no password is hashed,
   * and no account is read. Only an attempt with the status `refused` counts as a failure; an attempt that throws does
   * not. The permit is taken before the attempt runs, so that concurrent attempts cannot exceed the limits.
   */
  async run<Outcome extends { readonly status: string }>(
    attempt: SignInAttempt,
    run: () => Promise<Outcome>,
  ): Promise<Outcome | RateLimited> {
    const permit = await this.#takePermits(attempt);
    if (permit.status === 'rate-limited') return permit;
    let hasFailed = false;
    try {
      const outcome = await run();
      hasFailed = outcome.status === 'refused';
      return outcome;
    } finally {
      if (!hasFailed) await permit.giveBack();
    }
  }

  /**
   * Takes a permit for a user who has proven who they are, before a new session starts. Each session has audit events,
   * which are kept for long. Strangers cannot use up this limit.
   */
  takeForUser(userId: string): Promise<Permit> {
    return takePermit(this.#limiter, `sign-in:user:${userId}`, this.#perUser);
  }

  async #takePermits({ email, source: { address, isShared } }: SignInAttempt): Promise<Permit> {
    const account = `sign-in:account:${sha256Hex(email?.toLowerCase() ?? '')}:${address}`;
    const ofAccount = email === null ? unlimited : await takePermit(this.#limiter, account, this.#perMinute(1));
    if (ofAccount.status === 'rate-limited') return ofAccount;
    const factor = addressFactor * (isShared ? sharedAddressFactor : 1);
    const ofAddress = await takePermit(this.#limiter, `sign-in:address:${address}`, this.#perMinute(factor));
    if (ofAddress.status === 'rate-limited') {
      // A rate-limited attempt does not run, so it is no failure.
      await ofAccount.giveBack();
      return ofAddress;
    }
    const giveBack = async () => void (await Promise.all([ofAccount.giveBack(), ofAddress.giveBack()]));
    return { status: 'granted', giveBack };
  }

  #perMinute(factor: number): RateLimit | null {
    const burst = this.#failuresPerMinute * factor;
    return burst === 0 ? null : { ratePerSecond: burst / 60, burst };
  }
}
