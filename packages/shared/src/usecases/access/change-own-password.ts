import type { Session } from '../../ports/session-store.ts';
import type { User, UserStore } from '../../ports/user-store.ts';
import type { PasswordHasher } from './password-hasher.ts';
import type { makeLimitPasswordAttempts } from './sign-in-limits.ts';

export interface ChangeOwnPasswordDeps {
  readonly users: Pick<UserStore, 'findById' | 'replacePasswordHash'>;
  readonly passwords: PasswordHasher;
  readonly limitPasswordTries: ReturnType<typeof makeLimitPasswordAttempts>;
  readonly endOtherSessions: (session: Session) => Promise<void>;
}

export interface PasswordChange {
  readonly user: User;
  /** The session in which the person does it: it stays. */
  readonly session: Session;
  /** From where, as the limits of tries count it. */
  readonly address: string | null;
  readonly currentPassword: string;
  readonly newPassword: string;
}

type Outcome = { readonly status: 'changed' | 'refused' };

/**
 * Gives a person a new password, if they know the one they have, and ends their other sessions. Where that fails, the
 * same call once more finishes what the first one began, also when the new password was stored by then.
 */
export function makeChangeOwnPassword(deps: ChangeOwnPasswordDeps) {
  const { users, passwords, limitPasswordTries, endOtherSessions } = deps;

  async function change({ user, session, currentPassword, newPassword }: PasswordChange): Promise<Outcome> {
    if (!(await passwords.verify(currentPassword, user.passwordHash))) return { status: 'refused' };
    const newHash = await passwords.hash(newPassword);
    // Whoever was given another password meanwhile did not know the current one any more.
    if (!(await users.replacePasswordHash(user.id, user.passwordHash, newHash))) return { status: 'refused' };
    await endOtherSessions(session);
    return { status: 'changed' };
  }

  async function finish({ user, session, newPassword }: PasswordChange): Promise<Outcome> {
    const current = await users.findById(user.id);
    if (!(await passwords.verify(newPassword, current?.passwordHash ?? null))) return { status: 'refused' };
    await endOtherSessions(session);
    return { status: 'changed' };
  }

  return async (asked: PasswordChange) => {
    const tried = { email: asked.user.email, address: asked.address };
    const outcome = await limitPasswordTries(tried, () => change(asked));
    if (outcome.status !== 'refused') return outcome;
    // A second password is looked at: it is a try of its own, or else a request would be two guesses for one.
    const again = await limitPasswordTries(tried, () => finish(asked));
    return again.status === 'changed' ? again : outcome;
  };
}
