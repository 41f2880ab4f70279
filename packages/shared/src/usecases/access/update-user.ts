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
  const { role, disabled, ...others } = changes;
  const resignation = { ...(role === undefined ? {} : { role }), ...(disabled === undefined ? {} : { disabled }) };
  const resigns = (user: User) => isEnabledAdmin(user) && !isEnabledAdmin({ ...user, ...changes });
  const user = await users.get(id);
  if (user === null) return { status: 'unknown' };
  if (!resigns(user)) return write(users, id, (current) => (resigns(current) ? 'again' : changes));
  if (changes.passwordHash !== undefined && user.identity !== undefined) return { status: 'no-password' };
  if (!(await hasAdminBeside(users, id))) return { status: 'last-admin' };
  // A write that may be taken back has no other members: another change may set them meanwhile.
  const update = await write(users, id, (current) => (resigns(current) ? resignation : 'again'));
  if (update.status !== 'updated') return update;
  if (await hasAdminBeside(users, id)) {
    return Object.keys(others).length === 0 ? update : updateUser(users, id, changes);
  }
  await users.change(id, () => ({ role: 'admin', disabled: false }));
  return { status: 'last-admin' };

  /** `again`: what was read before is not true any more. */
  async function write(
    of: Users,
    userId: string,
    decide: (current: User) => UserChanges | 'again',
  ): Promise<UserUpdate> {
    const last: { status: 'unknown' | 'no-password' | 'again' } = { status: 'unknown' };
    const changed = await of.change(userId, (current) => {
      const decided = decide(current);
      last.status = decided === 'again' ? 'again' : 'no-password';
      const needsPassword = decided !== 'again' && decided.passwordHash !== undefined;
      return decided === 'again' || (needsPassword && current.identity !== undefined) ? null : decided;
    });
    if (changed !== null) return { status: 'updated', user: changed };
    return last.status === 'again' ? updateUser(of, userId, changes) : { status: last.status };
  }
}

async function hasAdminBeside(users: Pick<Users, 'find'>, id: string): Promise<boolean> {
  return (await users.find({ role: 'admin', disabled: false, id: { not: id } })) !== null;
}
