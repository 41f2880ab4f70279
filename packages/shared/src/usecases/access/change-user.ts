import type { Role } from '../../domain/role.ts';
import type { UserStore, UserUpdate } from '../../ports/user-store.ts';
import type { PasswordHasher } from './hash-password.ts';

export interface ChangeUserDeps {
  readonly users: Pick<UserStore, 'findById' | 'update'>;
  readonly passwords: Pick<PasswordHasher, 'hash'>;
  readonly endAllSessions: (userId: string) => Promise<void>;
}

/** Null leaves as it is. */
export interface ChosenUserChanges {
  readonly role: Role | null;
  readonly disabled: boolean | null;
  readonly password: string | null;
}

/**
 * Changes a user for somebody who manages users. Being disabled, or a new password, ends the user's sessions; so does
 * saying it once more, for whoever was told that it may not have worked. A new role holds from the next request on.
 */
export function createChangeUser({ users, passwords, endAllSessions }: ChangeUserDeps) {
  return async (id: string, { role, disabled, password }: ChosenUserChanges): Promise<UserUpdate> => {
    const known = await users.findById(id);
    if (known === null) return { status: 'unknown' };
    if (role === null && disabled === null && password === null) return { status: 'updated', user: known };
    const outcome = await users.update(id, {
      ...(role === null ? {} : { role }),
      ...(disabled === null ? {} : { disabled }),
      ...(password === null ? {} : { passwordHash: await passwords.hash(password) }),
    });
    // After the change: a sign-in that goes on meanwhile looks at the user once more when its session is there.
    if (outcome.status === 'updated' && (disabled === true || password !== null)) await endAllSessions(id);
    return outcome;
  };
}
