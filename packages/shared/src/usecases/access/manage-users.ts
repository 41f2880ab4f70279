import { randomBytes } from 'node:crypto';
import type { Role } from '../../domain/role.ts';
import { createUuidV7 } from '../../domain/uuid.ts';
import type { User, UserStore, UserUpdate } from '../../ports/user-store.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { PasswordHasher } from './password-hasher.ts';

export interface CreateUserDeps {
  readonly users: Pick<UserStore, 'insert'>;
  readonly passwords: Pick<PasswordHasher, 'hash'>;
  readonly clock: Pick<Clock, 'now'>;
}

export interface NewUser {
  readonly email: string;
  readonly password: string;
  readonly role: Role;
}

export type CreateUserOutcome =
  | { readonly status: 'created'; readonly user: User }
  /** E-mails are compared without regard to case. */
  | { readonly status: 'email-in-use' };

/** Creates a person who may sign in. */
export function makeCreateUser({ users, passwords, clock }: CreateUserDeps) {
  return async ({ email, password, role }: NewUser): Promise<CreateUserOutcome> => {
    const user: User = {
      id: createUuidV7(),
      email: email.toLowerCase(),
      role,
      disabled: false,
      passwordHash: await passwords.hash(password),
      createdAt: clock.now(),
      lastSignInAt: null,
    };
    return (await users.insert(user)) ? { status: 'created', user } : { status: 'email-in-use' };
  };
}

export interface CreateFirstAdminDeps {
  readonly users: Pick<UserStore, 'insertFirst'>;
  readonly passwords: Pick<PasswordHasher, 'hash'>;
  readonly clock: Pick<Clock, 'now'>;
}

export type FirstAdminOutcome =
  /** `generatedPassword` is known to nobody else: print it once. Null when the password was given. */
  | { readonly status: 'created'; readonly email: string; readonly generatedPassword: string | null }
  /** There are users already. */
  | { readonly status: 'not-needed' };

/** Makes the first admin while there is no user at all; without a password it makes up one. */
export function makeCreateFirstAdmin({ users, passwords, clock }: CreateFirstAdminDeps) {
  return async (email: string, password: string | null): Promise<FirstAdminOutcome> => {
    const generatedPassword = password === null ? randomBytes(18).toString('base64url') : null;
    const isFirst = await users.insertFirst({
      id: createUuidV7(),
      email: email.toLowerCase(),
      role: 'admin',
      disabled: false,
      passwordHash: await passwords.hash(password ?? generatedPassword ?? ''),
      createdAt: clock.now(),
      lastSignInAt: null,
    });
    return isFirst ? { status: 'created', email: email.toLowerCase(), generatedPassword } : { status: 'not-needed' };
  };
}

export interface ChangeUserDeps {
  readonly users: Pick<UserStore, 'findById' | 'update'>;
  readonly passwords: Pick<PasswordHasher, 'hash'>;
  readonly endAllSessions: (userId: string) => Promise<void>;
}

/** Null leaves as it is. */
export interface UserChangeRequest {
  readonly role: Role | null;
  readonly disabled: boolean | null;
  readonly password: string | null;
}

/**
 * Changes a user for somebody who manages users. Being disabled, or a new password, ends the user's sessions; so does
 * saying it once more, for whoever was told that it may not have worked. A new role holds from the next request on.
 */
export function makeChangeUser({ users, passwords, endAllSessions }: ChangeUserDeps) {
  return async (id: string, { role, disabled, password }: UserChangeRequest): Promise<UserUpdate> => {
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
