import type { User, UserStore } from '../../ports/user-store.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { PasswordHasher } from './password-hasher.ts';
import type { StartedSession } from './sessions.ts';

export interface SignInDeps {
  readonly users: Pick<UserStore, 'findByEmail' | 'findById' | 'recordSignIn'>;
  readonly passwords: Pick<PasswordHasher, 'verify'>;
  readonly startSession: (userId: string) => Promise<StartedSession>;
  readonly clock: Pick<Clock, 'now'>;
}

export interface Credentials {
  readonly email: string;
  readonly password: string;
}

export type SignInOutcome =
  | ({ readonly status: 'signed-in'; readonly user: User } & StartedSession)
  /** Unknown, disabled or a wrong password: alike, and at the same cost, so that no account can be guessed. */
  | { readonly status: 'refused' };

/** Signs a user in with e-mail and password, under a new session. */
export function makeSignIn({ users, passwords, startSession, clock }: SignInDeps) {
  return async ({ email, password }: Credentials): Promise<SignInOutcome> => {
    const user = await users.findByEmail(email.toLowerCase());
    const isRight = await passwords.verify(password, user?.passwordHash ?? null);
    if (user === null || user.disabled || !isRight) return { status: 'refused' };
    const started = await startSession(user.id);
    // Whoever has changed the password or disabled the user meanwhile has ended the sessions, perhaps before this one
    // was there. Its id is told to nobody then.
    const current = await users.findById(user.id);
    if (current?.passwordHash !== user.passwordHash || current.disabled) return { status: 'refused' };
    const lastSignInAt = clock.now();
    await users.recordSignIn(user.id, lastSignInAt);
    return { status: 'signed-in', user: { ...current, lastSignInAt }, ...started };
  };
}
