import type { createSignInLimits, SignInPermit } from './sign-in-limits.ts';

type TooManyFailures = Exclude<SignInPermit, { readonly status: 'granted' }>;

/** Whose password is tried, and from where (see `createSignInLimits`). */
export interface PasswordTry {
  readonly email: string;
  readonly address: string | null;
}

/**
 * Runs a try of a password as long as there were not too many failures before: else nothing is looked up and no
 * password hashed. A try counts when it was `refused`; one that could not be decided is no failure.
 */
export function createLimitPasswordTries(takePermit: ReturnType<typeof createSignInLimits>) {
  return async <Outcome extends { readonly status: string }>(
    { email, address }: PasswordTry,
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
