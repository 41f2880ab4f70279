import { findPasswordEnd, type User } from '../../entities/user.ts';
import type { Collection } from '../../ports/collection.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { PasswordHasher } from './password-hasher.ts';
import type { SessionOrigin, StartedSession } from './sessions.ts';
import type { makeTakeUserPermit, RateLimited } from './sign-in-limits.ts';

export interface SignInDeps {
  readonly users: Pick<Collection<User>, 'find' | 'get' | 'change'>;
  readonly passwords: Pick<PasswordHasher, 'verify'>;
  readonly takeUserPermit: ReturnType<typeof makeTakeUserPermit>;
  readonly startSession: (userId: string, origin: SessionOrigin) => Promise<StartedSession>;
  readonly clock: Pick<Clock, 'now'>;
}

export interface SignInAttempt {
  readonly email: string;
  readonly password: string;
  /** The client's address. Addresses take turns in hashing passwords. */
  readonly address: string;
  /** Returns what is stored with the session. Called only if the sign-in succeeds: failed attempts must cost little. */
  readonly readOrigin: () => SessionOrigin;
}

export type SignInOutcome =
  | ({ readonly status: 'signed-in'; readonly user: User } & StartedSession)
  /**
   * The account is unknown or disabled, or the password is wrong or has ended. All cases look alike and take the same
   * time, so that no one can find out which accounts exist.
   */
  | {
      readonly status: 'refused';
      /** The account with this e-mail, for the audit trail. Null if there is none. The response must not reveal it. */
      readonly userId: string | null;
    };

/**
 * Makes the function that signs a user in with e-mail and password, and starts a session. Throws `UnavailableError`; a
 * session may then exist, but nobody has its id.
 */
export function makeSignIn({ users, passwords, takeUserPermit, startSession, clock }: SignInDeps) {
  const finishSignIn = makeFinishSignIn({ users, startSession, clock });
  return async ({ email, password, address, readOrigin }: SignInAttempt): Promise<SignInOutcome | RateLimited> => {
    const user = await users.find({ email: email.toLowerCase() });
    const isCorrect = await passwords.verify(password, user?.passwordHash ?? null, address);
    const isOver = user !== null && (findPasswordEnd(user) ?? Number.POSITIVE_INFINITY) <= clock.now();
    if (user === null || user.disabled || isOver || !isCorrect) return { status: 'refused', userId: user?.id ?? null };
    const permit = await takeUserPermit(user.id);
    return permit.status === 'rate-limited' ? permit : finishSignIn(user, readOrigin);
  };
}

export interface FinishSignInDeps extends Pick<SignInDeps, 'startSession' | 'clock'> {
  readonly users: Pick<Collection<User>, 'get' | 'change'>;
}

/**
 * Makes the function with which every sign-in ends, by password or through an identity provider. It starts a session
 * for a user who has proven who they are. It refuses if the user was disabled, or got another password, since `user`
 * was read. Throws `UnavailableError`, as `makeSignIn` does.
 */
export function makeFinishSignIn({ users, startSession, clock }: FinishSignInDeps) {
  return async (user: User, readOrigin: () => SessionOrigin): Promise<SignInOutcome> => {
    const started = await startSession(user.id, readOrigin());
    // A concurrent change of the password, or disabling the user, ends the sessions. It may have missed this new one.
    // So the user is read again: after such a change nobody gets the session id.
    const current = await users.get(user.id);
    if (current?.passwordHash !== user.passwordHash || current.disabled) return { status: 'refused', userId: user.id };
    const lastSignInAt = clock.now();
    await users.change(user.id, () => ({ lastSignInAt }));
    return { status: 'signed-in', user: { ...current, lastSignInAt }, ...started };
  };
}
