import { isEnabledAdmin, type User } from '../../entities/user.ts';
import type { Collection } from '../../ports/collection.ts';

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
  /** Nothing was changed: no enabled admin would be left. Or another admin is just being tried for it. */
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
  // A write that may be taken back has no other members: another change may set them meanwhile.
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

/** Writes while `isRight` holds. `superseded`: another change came first, so the caller decides again. */
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
