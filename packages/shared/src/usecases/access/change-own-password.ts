import type { Session } from '../../ports/session-store.ts';
import type { User, UserStore } from '../../ports/user-store.ts';
import type { PasswordHasher } from './hash-password.ts';

export interface ChangeOwnPasswordDeps {
  readonly users: Pick<UserStore, 'replacePasswordHash'>;
  readonly passwords: PasswordHasher;
  readonly endOtherSessions: (session: Session) => Promise<void>;
}

export interface PasswordChange {
  readonly user: User;
  /** The session in which the person does it: it stays. */
  readonly session: Session;
  readonly currentPassword: string;
  readonly newPassword: string;
}

/** Gives a person a new password, if they know the one they have, and ends their other sessions. */
export function createChangeOwnPassword({ users, passwords, endOtherSessions }: ChangeOwnPasswordDeps) {
  return async (change: PasswordChange): Promise<{ readonly status: 'changed' | 'refused' }> => {
    const { user, session, currentPassword, newPassword } = change;
    if (!(await passwords.verify(currentPassword, user.passwordHash))) return { status: 'refused' };
    const newHash = await passwords.hash(newPassword);
    // Whoever was given another password meanwhile did not know the current one any more.
    if (!(await users.replacePasswordHash(user.id, user.passwordHash, newHash))) return { status: 'refused' };
    await endOtherSessions(session);
    return { status: 'changed' };
  };
}
