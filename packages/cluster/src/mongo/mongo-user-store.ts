import type { User, UserStore } from '@widget-service/shared/ports/user-store.ts';
import type { Collection, Db } from 'mongodb';
import { collectionNames } from './indexes.ts';
import { guarded, isDuplicateKey, requestDeadlineMs } from './translate-error.ts';

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

interface UserDocument extends Mutable<User> {
  /** The e-mail, or `first` of the one user that `insertFirst` made. */
  _id: string;
}

const firstId = 'first';

const maxTimeMS = requestDeadlineMs;

export class MongoUserStore implements UserStore {
  readonly #users: Collection<UserDocument>;

  constructor(db: Db) {
    this.#users = db.collection<UserDocument>(collectionNames.users);
  }

  insert(user: User): Promise<boolean> {
    return guarded('insert a user', () => this.#insert(toDocument(user)));
  }

  /**
   * What decides between pods is the user's own insert: there is no second write that a crash could part from it, and
   * so no state in which nobody could ever be the first.
   */
  insertFirst(user: User): Promise<boolean> {
    return guarded('insert the first user', async () => {
      const anybody = await this.#users.findOne({}, { projection: { _id: 1 }, maxTimeMS });
      return anybody === null && (await this.#insert({ ...toDocument(user), _id: firstId }));
    });
  }

  findByEmail(email: string): Promise<User | null> {
    return guarded('find a user', async () => toUser(await this.#users.findOne({ email }, { maxTimeMS })));
  }

  findById(id: string): Promise<User | null> {
    return guarded('find a user', async () => toUser(await this.#users.findOne({ id }, { maxTimeMS })));
  }

  recordSignIn(id: string, at: Date): Promise<void> {
    return guarded('record a sign-in', async () => {
      await this.#users.updateOne({ id }, { $set: { lastSignInAt: at } });
    });
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

function toUser(document: UserDocument | null): User | null {
  if (document === null) return null;
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
