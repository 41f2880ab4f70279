import { createHash } from 'node:crypto';
import { createRowReader } from '@widget-service/shared/adapters/row-reader.ts';
import { userShape } from '@widget-service/shared/adapters/row-shapes.ts';
import { UnavailableError } from '@widget-service/shared/domain/errors.ts';
import {
  type ExternalIdentity,
  isEnabledAdmin,
  type User,
  type UserChanges,
  type UserStore,
  type UserUpdate,
} from '@widget-service/shared/ports/user-store.ts';
import { requestDeadlineMs } from '@widget-service/shared/runtime/deadline.ts';
import type { Collection, Db } from 'mongodb';
import type { OnWarning } from '../redis/targets.ts';
import { collectionNames } from './indexes.ts';
import { insertRepeatably, isDuplicateKey, runPortCall, runRead } from './translate-error.ts';

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

interface UserDocument extends Mutable<User> {
  /** The e-mail, or `first` for the user that `insertFirst` inserted. */
  _id: string;
  /** A digest of `identity`, for the unique index. Absent together with it. */
  identityKey?: string;
  /** Raised by each write of `update` and `replacePasswordByIdentity`. Absent before the first one. */
  version?: number;
}

const firstId = 'first';
/** How often `update` tries to write when another update comes first, and once more for the members after a role. */
const attemptsMax = 6;

const enabledAdmin = { role: 'admin', disabled: false } as const;

const maxTimeMS = requestDeadlineMs;

export function createMongoUserStore(db: Db, onWarning?: OnWarning): UserStore {
  const rows = createRowReader({
    of: collectionNames.users,
    // Not `_id`, which is the e-mail.
    identify: ({ id }: UserDocument) => id,
    convert: toUser,
    shape: userShape,
    onWarning,
  });
  const users = db.collection<UserDocument>(collectionNames.users);

  function find(filter: Readonly<Partial<Pick<UserDocument, 'email' | 'id' | 'identityKey'>>>): Promise<User | null> {
    return runRead('find a user', async () => rows.readIfAny(await users.findOne(filter, { maxTimeMS })));
  }

  /**
   * Returns null if another update changed the user after it was read, or if the user is no enabled admin any more and
   * other members are still to be changed: a write that may be taken back has none, because another update may replace
   * the password meanwhile. The caller then reads the user again.
   *
   * Another enabled admin must remain, before the write and also after it. Ann and Bob demote each other at the same
   * moment: each sees the other one, and both writes succeed. Then at least one of them sees no admin, and takes its
   * write back. It makes the user an enabled admin, whatever another update wrote in between: that update saw no admin
   * in this user, so it was free to. A pod that dies between the two leaves no admin; docs/operations.md has the
   * command that helps.
   */
  async function tryUpdate(user: UserDocument, changes: UserChanges): Promise<UserUpdate | null> {
    const mayEndLastAdmin = isEnabledAdmin(user) && !isEnabledAdmin({ ...user, ...changes });
    if (mayEndLastAdmin && !(await hasAdminBeside(users, user.id))) return { status: 'last-admin' };
    if (!mayEndLastAdmin) return writeChanges(users, user, changes);
    const { role = user.role, disabled = user.disabled, ...others } = changes;
    const update = await writeChanges(users, user, { role, disabled });
    if (update === null) return null;
    if (await hasAdminBeside(users, user.id)) return Object.keys(others).length === 0 ? update : null;
    await users.updateOne({ id: user.id }, { $set: enabledAdmin, $inc: { version: 1 } });
    return { status: 'last-admin' };
  }

  return {
    insert: (user) => runPortCall('insert a user', () => insert(users, toDocument(user))),
    /**
     * The fixed `_id` makes the insert itself decide between pods. No other write is needed before it, so no crash can
     * leave a state in which `insertFirst` never succeeds again.
     */
    insertFirst: (user) =>
      runPortCall('insert the first user', async () => {
        const existing = await users.findOne({}, { projection: { _id: 1 }, maxTimeMS });
        return existing === null && (await insert(users, { ...toDocument(user), _id: firstId }));
      }),
    findByEmail: (email) => find({ email }),
    findById: (id) => find({ id }),
    findByIdentity: (identity) => find({ identityKey: toIdentityKey(identity) }),
    list: ({ offset, limit }) =>
      runRead('list users', async () => {
        const sort = { createdAt: -1, id: -1 } as const;
        const documents = await users.find({}, { sort, skip: offset, limit, maxTimeMS }).toArray();
        return rows.readList(documents);
      }),
    count: (atMost) => runRead('count users', () => users.countDocuments({}, { limit: atMost, maxTimeMS })),
    update: (id, changes) =>
      runPortCall('change a user', async () => {
        for (let attempt = 1; attempt <= attemptsMax; attempt += 1) {
          const user = await users.findOne({ id }, { maxTimeMS });
          if (user === null) return { status: 'unknown' };
          if (changes.passwordHash !== undefined && user.identity !== undefined) return { status: 'no-password' };
          const outcome = await tryUpdate(user, changes);
          if (outcome !== null) return outcome;
        }
        throw new UnavailableError(`MongoDB, change a user: a concurrent change won ${attemptsMax} times. Try again.`);
      }),
    replacePasswordHash: (id, expectedHash, newHash) =>
      runPortCall('replace a password', async () => {
        // Does not raise `version`: no decision about role or `disabled` depends on the password.
        const { matchedCount } = await users.updateOne(
          { id, passwordHash: expectedHash },
          { $set: { passwordHash: newHash, mustChangePassword: false } },
        );
        return matchedCount === 1;
      }),
    replacePasswordByIdentity: (id, identity) =>
      runPortCall('replace a password by an identity', async () => {
        const $set = { passwordHash: null, mustChangePassword: false, identity, identityKey: toIdentityKey(identity) };
        try {
          // Raises `version`: `update` sets no password if the user has an identity.
          const { matchedCount } = await users.updateOne(
            { id, identityKey: { $exists: false } },
            { $set, $inc: { version: 1 } },
          );
          return matchedCount === 1;
        } catch (error) {
          if (isDuplicateKey(error)) return false;
          throw error;
        }
      }),
    recordSignIn: (id, at) =>
      runPortCall('record a sign-in', async () => {
        await users.updateOne({ id }, { $set: { lastSignInAt: at } });
      }),
  };
}

async function insert(users: Collection<UserDocument>, document: UserDocument): Promise<boolean> {
  return insertRepeatably(async (isRepeated) => {
    try {
      await users.insertOne(document);
      return true;
    } catch (error) {
      if (!isDuplicateKey(error)) throw error;
      // The user may be that of the first attempt.
      return isRepeated && (await users.findOne({ id: document.id }, { projection: { _id: 1 }, maxTimeMS })) !== null;
    }
  });
}

async function hasAdminBeside(users: Collection<UserDocument>, id: string): Promise<boolean> {
  const filter = { ...enabledAdmin, id: { $ne: id } };
  return (await users.findOne(filter, { projection: { _id: 1 }, maxTimeMS })) !== null;
}

/**
 * Writes only if `version` is still the one that was read: the decision to write is based on that read. Returns null
 * if it is not.
 */
async function writeChanges(
  users: Collection<UserDocument>,
  { id, version }: UserDocument,
  changes: UserChanges,
): Promise<UserUpdate | null> {
  const changed = await users.findOneAndUpdate(
    { id, version: version ?? { $exists: false } },
    { ...(Object.keys(changes).length === 0 ? {} : { $set: changes }), $inc: { version: 1 } },
    { returnDocument: 'after', maxTimeMS },
  );
  return changed === null ? null : { status: 'updated', user: toUser(changed) };
}

function toDocument(user: User): UserDocument {
  return {
    _id: user.email,
    id: user.id,
    email: user.email,
    name: user.name,
    role: user.role,
    disabled: user.disabled,
    passwordHash: user.passwordHash,
    mustChangePassword: user.mustChangePassword,
    ...(user.passwordExpiresAt === undefined ? {} : { passwordExpiresAt: user.passwordExpiresAt }),
    ...(user.identity === undefined ? {} : { identity: user.identity, identityKey: toIdentityKey(user.identity) }),
    createdAt: user.createdAt,
    lastSignInAt: user.lastSignInAt,
  };
}

function toUser(document: UserDocument): User {
  return {
    id: document.id,
    email: document.email,
    name: document.name,
    role: document.role,
    disabled: document.disabled,
    passwordHash: document.passwordHash,
    mustChangePassword: document.mustChangePassword,
    ...(document.passwordExpiresAt === undefined ? {} : { passwordExpiresAt: document.passwordExpiresAt }),
    ...(document.identity === undefined ? {} : { identity: toIdentity(document.identity) }),
    createdAt: document.createdAt,
    lastSignInAt: document.lastSignInAt,
  };
}

function toIdentity({ issuer, subject }: ExternalIdentity): ExternalIdentity {
  return { issuer, subject };
}

/** A digest, because a server may limit the length of an indexed text. JSON keeps the two texts apart. */
function toIdentityKey({ issuer, subject }: ExternalIdentity): string {
  return createHash('sha256')
    .update(JSON.stringify([issuer, subject]))
    .digest('base64url');
}
