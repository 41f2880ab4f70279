import { randomBytes } from 'node:crypto';
import type { Role } from '../../domain/role.ts';
import { sha256Hex } from '../../domain/token.ts';
import { toUuidV8 } from '../../domain/uuid.ts';
import { buildUser, isEnabledAdmin, type User } from '../../entities/user.ts';
import type { Collection } from '../../ports/collection.ts';
import type { ControlLog } from '../../ports/control-log.ts';
import type { Clock } from '../../runtime/clock.ts';
import { findPasswordWeakness, PasswordHasher } from './passwords.ts';
import type { ManageSessions } from './sessions.ts';

/**
 * How long a password lasts that an admin has set. It was sent by e-mail or chat, so it must end soon; a week is enough
 * for a user who is away for some days.
 */
const givenPasswordLifetimeMs = 7 * 86_400_000;

/** The members of a user who gets a password from an admin now. */
const toGiven = (now: Date) => ({
  mustChangePassword: true,
  passwordExpiresAt: new Date(now.getTime() + givenPasswordLifetimeMs),
});

export interface ManageUsersDeps {
  readonly users: Pick<Collection<User>, 'insert'> & Users;
  readonly passwords: Pick<PasswordHasher, 'hash'>;
  readonly sessions: Pick<ManageSessions, 'endAll'>;
  readonly control: Pick<ControlLog, 'announce'>;
  readonly clock: Pick<Clock, 'now'>;
}

/** `detail` says to the admin why the password is not accepted. */
type WeakPassword = { readonly status: 'weak-password'; readonly detail: string };

export interface NewUser {
  readonly email: string;
  readonly password: string;
  readonly role: Role;
  /** Default: none. */
  readonly name?: string | null;
}

export type CreateUserOutcome =
  | { readonly status: 'created'; readonly user: User }
  /** Another user has this e-mail. The comparison ignores case. */
  | { readonly status: 'email-in-use' }
  | WeakPassword;

/** The new values. A null member stays as it is, and so does a `name` that is left out. A null `name` removes it. */
interface UserChangeRequest {
  readonly role: Role | null;
  readonly disabled: boolean | null;
  readonly password: string | null;
  readonly name?: string | null;
}

/** What admins do to users. */
export class ManageUsers {
  readonly #deps: ManageUsersDeps;

  constructor(deps: ManageUsersDeps) {
    this.#deps = deps;
  }

  /**
   * Creates a user who can sign in within a week, and must then change the password. Throws `UnavailableError` when the
   * store did not answer or too many passwords are being hashed.
   */
  async create({ email, password, role, name = null }: NewUser): Promise<CreateUserOutcome> {
    const { users, passwords, clock } = this.#deps;
    const detail = findPasswordWeakness(password, email);
    if (detail !== null) return { status: 'weak-password', detail };
    const now = clock.now();
    const passwordHash = await passwords.hash(password);
    const user = buildUser({ email, name, role, passwordHash, ...toGiven(now), createdAt: now });
    return (await users.insert(user)) ? { status: 'created', user } : { status: 'email-in-use' };
  }

  /**
   * Changes a user. Returns what `updateUser` returns, or `weak-password`; then nothing was changed. Disabling the user
   * or setting a password ends all sessions of the user. The user must change a password that was set here. A new role
   * takes effect on every pod within 2 s.
   *
   * Throws `UnavailableError`: the change may be stored without the sessions being ended, or the pods being told.
   * Repeating the call does it.
   */
  async change(id: string, { role, disabled, password, name }: UserChangeRequest): Promise<UserUpdate | WeakPassword> {
    const { users, passwords, sessions, control, clock } = this.#deps;
    const user = await users.get(id);
    if (user === null) return { status: 'unknown' };
    if (role === null && disabled === null && password === null && name === undefined)
      return { status: 'updated', user };
    // `updateUser` checks this again. Here it saves the hashing, and takes precedence over a weak password.
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
    if (disabled === true || password !== null) await sessions.endAll(id);
    else if (role !== null) await control.announce({ kind: 'user', id, change: 'changed' });
    return outcome;
  }
}

/** A UUIDv8, the same in every deployment. */
const firstUserId = toUuidV8(sha256Hex('the first user'));

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
 * Creates the first admin, if there is no user at all. Generates a password of 18 random bytes if it gets none. Throws
 * `UnavailableError`.
 */
export async function createFirstAdmin(
  users: Pick<Collection<User>, 'count' | 'insert'>,
  email: string,
  password: string | null,
  createdAt: Date,
): Promise<FirstAdminOutcome> {
  if ((await users.count({}, 1)) > 0) return { status: 'not-needed' };
  const generatedPassword = password === null ? randomBytes(18).toString('base64url') : null;
  const passwordHash = await new PasswordHasher().hash(password ?? generatedPassword ?? '');
  // Of several pods that start at the same time, only one can insert this id. The user need not change the password:
  // the operator chose it, or is the only person who has seen it.
  const user = buildUser({ id: firstUserId, email, role: 'admin', passwordHash, createdAt });
  if (!(await users.insert(user))) return { status: 'not-needed' };
  return { status: 'created', userId: user.id, email: user.email, generatedPassword };
}

/** The changes of a user. Missing members stay unchanged. */
export type UserChanges = Partial<
  Pick<User, 'name' | 'role' | 'disabled' | 'mustChangePassword' | 'passwordExpiresAt'> & {
    readonly passwordHash: string;
  }
>;

export type UserUpdate =
  /** `user` is the changed user. */
  | { readonly status: 'updated'; readonly user: User }
  | { readonly status: 'unknown' }
  /** Nothing was changed: a password was given for a user with an identity. */
  | { readonly status: 'no-password' }
  /** Nothing was changed: no enabled admin would be left, also because of another change at the same moment. */
  | { readonly status: 'last-admin' };

type Users = Pick<Collection<User>, 'get' | 'find' | 'change'>;

/**
 * Changes the given members. Never demotes or disables the last enabled admin, also if several processes change users
 * at the same time. Throws `UnavailableError`.
 *
 * Another enabled admin must remain, before the change and also after it. Ann and Bob demote each other at the same
 * moment: each sees the other one, and both writes succeed. Then at least one of them sees no admin, and takes its
 * write back. It makes the user an enabled admin, whatever another change wrote in between: that change saw no admin in
 * this user, so it was free to. A process that dies between the two leaves no admin; docs/operations.md has the command
 * that helps.
 */
export async function updateUser(users: Users, id: string, changes: UserChanges): Promise<UserUpdate> {
  const user = await users.get(id);
  if (user === null) return { status: 'unknown' };
  const resigns = (current: User) => isEnabledAdmin(current) && !isEnabledAdmin({ ...current, ...changes });
  if (!resigns(user)) {
    const update = await write(users, id, changes, (current) => !resigns(current));
    return update.status === 'superseded' ? updateUser(users, id, changes) : update;
  }
  if (changes.passwordHash !== undefined && user.identity !== undefined) return { status: 'no-password' };
  if (!(await hasAdminBeside(users, id))) return { status: 'last-admin' };
  // Role and `disabled` are written alone, because this write may be undone: another change may set the other members
  // meanwhile.
  const { role = user.role, disabled = user.disabled, ...others } = changes;
  const update = await write(users, id, { role, disabled }, resigns);
  if (update.status === 'superseded') return updateUser(users, id, changes);
  if (update.status !== 'updated') return update;
  if (await hasAdminBeside(users, id)) {
    return Object.keys(others).length === 0 ? update : updateUser(users, id, changes);
  }
  await users.change(id, () => ({ role: 'admin', disabled: false }));
  return { status: 'last-admin' };
}

/** Writes if `isRight` holds for the current user. `superseded`: another change came first, so decide again. */
async function write(
  users: Users,
  id: string,
  changes: UserChanges,
  isRight: (current: User) => boolean,
): Promise<UserUpdate | { readonly status: 'superseded' }> {
  let refusal: 'unknown' | 'superseded' | 'no-password' = 'unknown';
  const user = await users.change(id, (current) => {
    refusal = isRight(current) ? 'no-password' : 'superseded';
    const lacksPassword = changes.passwordHash !== undefined && current.identity !== undefined;
    return refusal === 'superseded' || lacksPassword ? null : changes;
  });
  return user === null ? { status: refusal } : { status: 'updated', user };
}

async function hasAdminBeside(users: Pick<Users, 'find'>, id: string): Promise<boolean> {
  return (await users.find({ role: 'admin', disabled: false, id: { not: id } })) !== null;
}
