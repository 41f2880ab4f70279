import { UnavailableError } from '@widget-service/shared/domain/errors.ts';
import type { RowRange } from '@widget-service/shared/ports/grant-store.ts';
import {
  isEnabledAdmin,
  type User,
  type UserChanges,
  type UserStore,
  type UserUpdate,
} from '@widget-service/shared/ports/user-store.ts';
import { requestDeadlineMs } from '@widget-service/shared/runtime/deadline.ts';
import type { Collection, Db } from 'mongodb';
import { collectionNames } from './indexes.ts';
import { MongoAdminRoster } from './mongo-admin-roster.ts';
import { isDuplicateKey, runPortCall } from './translate-error.ts';

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

interface UserDocument extends Mutable<User> {
  /** The e-mail, or `first` of the one user that `insertFirst` made. */
  _id: string;
  /** Counts the changes of role and `disabled`. Older documents lack it. */
  version?: number;
}

const firstId = 'first';
/** So often a change is tried that others get in the way of. */
const attemptsMax = 5;
/** A change takes less than this: who has been leaving for longer was left behind by a pod that died. */
const leavingForMs = 10_000;

const enabledAdmins = { role: 'admin', disabled: false } as const;

const maxTimeMS = requestDeadlineMs;

export class MongoUserStore implements UserStore {
  readonly #users: Collection<UserDocument>;
  readonly #roster: MongoAdminRoster;

  constructor(db: Db) {
    this.#users = db.collection<UserDocument>(collectionNames.users);
    this.#roster = new MongoAdminRoster(db, async () => {
      const found = await this.#users.find(enabledAdmins, { projection: { id: 1 }, maxTimeMS }).toArray();
      return found.map(({ id }) => id);
    });
  }

  insert(user: User): Promise<boolean> {
    return runPortCall('insert a user', async () => {
      if (!isEnabledAdmin(user)) return this.#insert(toDocument(user));
      const mark = await this.#roster.addPending(user.id);
      const isInserted = await this.#insert(toDocument(user));
      if (isInserted) await this.#roster.confirm(user.id, mark);
      return isInserted;
    });
  }

  /**
   * What decides between pods is the user's own insert: there is no second write that a crash could part from it, and
   * so no state in which nobody could ever be the first.
   */
  insertFirst(user: User): Promise<boolean> {
    return runPortCall('insert the first user', async () => {
      const anybody = await this.#users.findOne({}, { projection: { _id: 1 }, maxTimeMS });
      const isInserted = anybody === null && (await this.#insert({ ...toDocument(user), _id: firstId }));
      if (isInserted) await this.#roster.reset(isEnabledAdmin(user) ? [user.id] : []);
      return isInserted;
    });
  }

  findByEmail(email: string): Promise<User | null> {
    return this.#find({ email });
  }

  findById(id: string): Promise<User | null> {
    return this.#find({ id });
  }

  list({ offset, limit }: RowRange) {
    return runPortCall('list users', async () => {
      const sort = { createdAt: -1, id: -1 } as const;
      const [documents, totalItems] = await Promise.all([
        this.#users.find({}, { sort, skip: offset, limit, maxTimeMS }).toArray(),
        this.#users.countDocuments({}, { maxTimeMS }),
      ]);
      return { items: documents.map(toUser), totalItems };
    });
  }

  update(id: string, changes: UserChanges): Promise<UserUpdate> {
    return runPortCall('change a user', async () => {
      for (let attempt = 1; attempt <= attemptsMax; attempt += 1) {
        const found = await this.#users.findOne({ id }, { maxTimeMS });
        if (found === null) return { status: 'unknown' };
        const outcome = await this.#tryUpdate(found, changes);
        if (outcome !== null) return outcome;
      }
      throw new UnavailableError('MongoDB, change a user: others changed it each time');
    });
  }

  replacePasswordHash(id: string, known: string, next: string): Promise<boolean> {
    return runPortCall('replace a password', async () => {
      // Nothing that is decided on by the version depends on it.
      const { matchedCount } = await this.#users.updateOne(
        { id, passwordHash: known },
        { $set: { passwordHash: next } },
      );
      return matchedCount === 1;
    });
  }

  recordSignIn(id: string, at: Date): Promise<void> {
    return runPortCall('record a sign-in', async () => {
      await this.#users.updateOne({ id }, { $set: { lastSignInAt: at } });
    });
  }

  #find(filter: { readonly email: string } | { readonly id: string }): Promise<User | null> {
    return runPortCall('find a user', async () => {
      const document = await this.#users.findOne(filter, { maxTimeMS });
      return document === null ? null : toUser(document);
    });
  }

  /** Null when the user was changed since it was read. */
  async #tryUpdate(found: UserDocument, changes: UserChanges): Promise<UserUpdate | null> {
    const isOne = isEnabledAdmin(found);
    const staysOrBecomesOne = isEnabledAdmin({ ...found, ...changes });
    if (isOne && !staysOrBecomesOne) {
      if (!(await this.#mayLeave(found.id))) return { status: 'last-admin' };
      const changed = await this.#change(found, changes);
      // Only tidies up: the change is made.
      if (changed !== null) await this.#roster.finishRemoval(found.id).catch(() => undefined);
      return changed;
    }
    return staysOrBecomesOne ? this.#changeAdmin(found, changes) : this.#change(found, changes);
  }

  async #changeAdmin(found: UserDocument, changes: UserChanges): Promise<UserUpdate | null> {
    const mark = await this.#roster.addPending(found.id);
    const changed = await this.#change(found, changes);
    if (changed !== null) await this.#roster.confirm(found.id, mark);
    return changed;
  }

  /** Whatever decides on a change of role or `disabled` was read together with the version. */
  async #change({ id, version }: UserDocument, changes: UserChanges): Promise<UserUpdate | null> {
    const changed = await this.#users.findOneAndUpdate(
      { id, version: version ?? { $exists: false } },
      { ...(Object.keys(changes).length === 0 ? {} : { $set: changes }), $inc: { version: 1 } },
      { returnDocument: 'after', maxTimeMS },
    );
    return changed === null ? null : { status: 'updated', user: toUser(changed) };
  }

  async #mayLeave(id: string): Promise<boolean> {
    if (await this.#roster.remove(id, new Date())) return true;
    return (await this.#countAnotherThan(id)) && (await this.#roster.remove(id, new Date()));
  }

  /** Has an admin counted whom a pod that died had left uncounted. Whoever is leaving right now is none to count on. */
  async #countAnotherThan(id: string): Promise<boolean> {
    const { ids, leaving } = await this.#roster.read();
    const uncounted = await this.#users.find({ ...enabledAdmins, id: { $nin: [...ids, id] } }, { maxTimeMS }).toArray();
    for (const document of uncounted) {
      const isLeaving = Date.now() - (leaving[document.id]?.getTime() ?? 0) < leavingForMs;
      // A change without changes: whatever else was decided about them before does not happen any more.
      if (!isLeaving && (await this.#changeAdmin(document, {})) !== null) return true;
    }
    return false;
  }

  async #insert(document: UserDocument): Promise<boolean> {
    try {
      await this.#users.insertOne(document);
      return true;
    } catch (error) {
      if (isDuplicateKey(error)) return false;
      throw error;
    }
  }
}

function toDocument(user: User): UserDocument {
  return {
    _id: user.email,
    id: user.id,
    email: user.email,
    role: user.role,
    disabled: user.disabled,
    passwordHash: user.passwordHash,
    createdAt: user.createdAt,
    lastSignInAt: user.lastSignInAt,
  };
}

function toUser(document: UserDocument): User {
  return {
    id: document.id,
    email: document.email,
    role: document.role,
    disabled: document.disabled,
    passwordHash: document.passwordHash,
    createdAt: document.createdAt,
    lastSignInAt: document.lastSignInAt,
  };
}
