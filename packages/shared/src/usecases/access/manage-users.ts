import { randomBytes } from 'node:crypto';
import type { Role } from '../../domain/role.ts';
import { sha256Hex } from '../../domain/token.ts';
import { createUuidV7, toUuidV8 } from '../../domain/uuid.ts';
import type { User } from '../../entities/user.ts';
import type { Collection } from '../../ports/collection.ts';
import type { ControlLog } from '../../ports/control-log.ts';
import type { Clock } from '../../runtime/clock.ts';
import { findPasswordWeakness } from './check-new-password.ts';
import type { PasswordHasher } from './password-hasher.ts';
import { type UserUpdate, updateUser } from './update-user.ts';

/**
 * How long a password lasts that an admin has set. It lies in a mailbox or a chat, so it must end; a week is enough for
 * somebody who is away for some days.
 */
const givenPasswordLifetimeMs = 7 * 86_400_000;

/** What a user is who gets a password from an admin now. */
const toGiven = (now: Date) => ({
  mustChangePassword: true,
  passwordExpiresAt: new Date(now.getTime() + givenPasswordLifetimeMs),
});

export interface CreateUserDeps {
  readonly users: Pick<Collection<User>, 'insert'>;
  readonly passwords: Pick<PasswordHasher, 'hash'>;
  readonly clock: Pick<Clock, 'now'>;
}

/** `detail` says to the admin why the password is not accepted. */
type WeakPassword = { readonly status: 'weak-password'; readonly detail: string };

export interface NewUser {
  readonly email: string;
  readonly password: string;
  readonly role: Role;
  /** Left out: none. */
  readonly name?: string | null;
}

export type CreateUserOutcome =
  | { readonly status: 'created'; readonly user: User }
  /** Another user has this e-mail. The comparison ignores case. */
  | { readonly status: 'email-in-use' }
  | WeakPassword;

/**
 * Makes the function that creates a user who can sign in within a week, and must then change the password. Throws
 * `UnavailableError` when the store did not answer or too many passwords are being hashed.
 */
export function makeCreateUser({ users, passwords, clock }: CreateUserDeps) {
  return async ({ email, password, role, name = null }: NewUser): Promise<CreateUserOutcome> => {
    const detail = findPasswordWeakness(password, email);
    if (detail !== null) return { status: 'weak-password', detail };
    const now = clock.now();
    const user: User = {
      id: createUuidV7(),
      email: email.toLowerCase(),
      name,
      role,
      disabled: false,
      passwordHash: await passwords.hash(password),
      ...toGiven(now),
      createdAt: now,
      lastSignInAt: null,
    };
    return (await users.insert(user)) ? { status: 'created', user } : { status: 'email-in-use' };
  };
}

/** A UUIDv8, the same in every deployment. */
const firstUserId = toUuidV8(sha256Hex('the first user'));

export interface CreateFirstAdminDeps {
  readonly users: Pick<Collection<User>, 'count' | 'insert'>;
  readonly passwords: Pick<PasswordHasher, 'hash'>;
  readonly clock: Pick<Clock, 'now'>;
}

export type FirstAdminOutcome =
  /** Print `generatedPassword` once: the store holds only its hash. Null when the caller gave a password. */
  | {
      readonly status: 'created';
      readonly userId: string;
      readonly email: string;
      readonly generatedPassword: string | null;
    }
  /** There is a user already. */
  | { readonly status: 'not-needed' };

/**
 * Makes the function that creates the first admin, if there is no user at all. It generates a password of 18 random
 * bytes if it gets none. Throws `UnavailableError`.
 */
export function makeCreateFirstAdmin({ users, passwords, clock }: CreateFirstAdminDeps) {
  return async (email: string, password: string | null): Promise<FirstAdminOutcome> => {
    if ((await users.count({}, 1)) > 0) return { status: 'not-needed' };
    const generatedPassword = password === null ? randomBytes(18).toString('base64url') : null;
    const user = {
      // Of several pods that start at the same time, only one can insert it.
      id: firstUserId,
      email: email.toLowerCase(),
      name: null,
      role: 'admin',
      disabled: false,
      passwordHash: await passwords.hash(password ?? generatedPassword ?? ''),
      // Whoever starts the service chose the password, or is the only one who has seen it.
      mustChangePassword: false,
      createdAt: clock.now(),
      lastSignInAt: null,
    } as const;
    if (!(await users.insert(user))) return { status: 'not-needed' };
    return { status: 'created', userId: user.id, email: user.email, generatedPassword };
  };
}

export interface ChangeUserDeps {
  readonly users: Pick<Collection<User>, 'get' | 'find' | 'change'>;
  readonly passwords: Pick<PasswordHasher, 'hash'>;
  readonly endAllSessions: (userId: string) => Promise<void>;
  readonly control: Pick<ControlLog, 'announce'>;
  readonly clock: Pick<Clock, 'now'>;
}

/** The new values. A null member stays as it is, and so does a `name` that is left out. A null `name` removes it. */
interface UserChangeRequest {
  readonly role: Role | null;
  readonly disabled: boolean | null;
  readonly password: string | null;
  readonly name?: string | null;
}

/**
 * Makes the function by which an admin changes a user. It returns what `updateUser` returns, or `weak-password`;
 * then nothing was changed. Disabling the user or setting a password ends all sessions of the user. The user must
 * change a password that was set here. A new role takes effect on every pod within 2 s.
 *
 * Throws `UnavailableError`: the change may be stored without the sessions being ended, or the pods being told.
 * Repeating the call does it.
 */
export function makeChangeUser(deps: ChangeUserDeps) {
  const { users, passwords, endAllSessions, control, clock } = deps;
  return async (
    id: string,
    { role, disabled, password, name }: UserChangeRequest,
  ): Promise<UserUpdate | WeakPassword> => {
    const user = await users.get(id);
    if (user === null) return { status: 'unknown' };
    if (role === null && disabled === null && password === null && name === undefined)
      return { status: 'updated', user };
    // `update` decides; this only spares the work, and names the mistake before that of the password.
    if (password !== null && user.passwordHash === null) return { status: 'no-password' };
    const detail = password === null ? null : findPasswordWeakness(password, user.email);
    if (detail !== null) return { status: 'weak-password', detail };
    const outcome = await updateUser(users, id, {
      ...(name === undefined ? {} : { name }),
      ...(role === null ? {} : { role }),
      ...(disabled === null ? {} : { disabled }),
      ...(password === null ? {} : { passwordHash: await passwords.hash(password), ...toGiven(clock.now()) }),
    });
    // The sessions end after the change. A concurrent sign-in reads the user again after it has stored its session.
    if (outcome.status !== 'updated') return outcome;
    if (disabled === true || password !== null) await endAllSessions(id);
    else if (role !== null) await control.announce({ kind: 'user', id, change: 'changed' });
    return outcome;
  };
}
