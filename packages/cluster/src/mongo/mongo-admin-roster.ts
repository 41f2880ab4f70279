import { randomUUID } from 'node:crypto';
import { requestDeadlineMs } from '@widget-service/shared/runtime/deadline.ts';
import type { Collection, Db } from 'mongodb';
import { collectionNames } from './indexes.ts';
import { isDuplicateKey } from './translate-error.ts';

interface RosterDocument {
  _id: string;
  /** Every one is an enabled admin. The list may lack some enabled admins. */
  confirmedIds: string[];
  /** Users who are about to become enabled admins, each with the id of the latest attempt. */
  pending: Record<string, string>;
  /**
   * Users who were taken out of `confirmedIds` to be demoted or disabled, and when. While the entry is less than 10 s
   * old, `MongoUserStore` does not confirm such a user again: the demotion is in progress. An older entry is left from
   * a crash.
   */
  removing: Record<string, Date>;
}

export type AdminRoster = Pick<RosterDocument, 'confirmedIds' | 'removing'>;

const rosterId = 'admins';
const maxTimeMS = requestDeadlineMs;

/**
 * Decides which admin may be demoted or disabled: never the last one. The roster is one document, so it decides for all
 * pods at once.
 *
 * A user and the roster are two documents, and a pod may die between two writes. The order of the writes makes that
 * safe. To promote Ann:
 *
 * 1. `addPending(ann)` returns the attempt id 7.   Roster: `pending { ann: 7 }`
 * 2. The store writes the user: Ann is an admin.
 * 3. `confirm(ann, 7)`.                            Roster: `confirmedIds [ann]`
 *
 * To demote Ann while Bob is confirmed, too:
 *
 * 1. `remove(ann)` returns true: Bob is left.      Roster: `confirmedIds [bob], removing { ann: 12:00 }`
 * 2. The store writes the user: Ann is a viewer.
 * 3. `finishRemoval(ann)`.                         Roster: `confirmedIds [bob]`
 *
 * `remove` also deletes a pending attempt, so a late `confirm(ann, 7)` changes nothing.
 *
 * The rule: a confirmed user is an enabled admin. A crash can only leave an enabled admin who is not confirmed. Then
 * `remove` may return false although another admin is left. In that case `MongoUserStore` confirms the other admin and
 * calls `remove` again. `remove` never takes out the last enabled admin.
 *
 * Methods throw the driver's errors: `MongoUserStore` translates them.
 */
export class MongoAdminRoster {
  readonly #rosters: Collection<RosterDocument>;
  readonly #readEnabledAdminIds: () => Promise<string[]>;

  /** `readEnabledAdminIds` reads them from the users, to create the roster of a database that has none. */
  constructor(db: Db, readEnabledAdminIds: () => Promise<string[]>) {
    this.#rosters = db.collection<RosterDocument>(collectionNames.adminRoster);
    this.#readEnabledAdminIds = readEnabledAdminIds;
  }

  /** Announces that the user is about to become an enabled admin. Returns an attempt id for `confirm`. */
  async addPending(id: string): Promise<string> {
    await this.#ensureRoster();
    const attemptId = randomUUID();
    await this.#rosters.updateOne({ _id: rosterId }, { $set: { [`pending.${id}`]: attemptId } });
    return attemptId;
  }

  /** Confirms the user. Does nothing if `remove` or another attempt came after `addPending`. */
  async confirm(id: string, attemptId: string): Promise<void> {
    await this.#rosters.updateOne(
      { _id: rosterId, [`pending.${id}`]: attemptId },
      { $addToSet: { confirmedIds: id }, $unset: { [`pending.${id}`]: '', [`removing.${id}`]: '' } },
    );
  }

  /**
   * If the roster has another confirmed admin: takes the user out of the roster, adds a `removing` entry, and returns
   * true. It does not matter whether this user was confirmed. Otherwise returns false and takes nobody out.
   */
  async remove(id: string, at: Date): Promise<boolean> {
    await this.#ensureRoster();
    const { matchedCount } = await this.#rosters.updateOne(
      { _id: rosterId, confirmedIds: { $elemMatch: { $ne: id } } },
      { $pull: { confirmedIds: id }, $unset: { [`pending.${id}`]: '' }, $set: { [`removing.${id}`]: at } },
    );
    return matchedCount === 1;
  }

  /** Deletes the `removing` entry: the user is written. */
  async finishRemoval(id: string): Promise<void> {
    await this.#rosters.updateOne({ _id: rosterId }, { $unset: { [`removing.${id}`]: '' } });
  }

  /** Returns empty lists if there is no roster. */
  async read(): Promise<AdminRoster> {
    const roster = await this.#rosters.findOne({ _id: rosterId }, { maxTimeMS });
    return { confirmedIds: roster?.confirmedIds ?? [], removing: roster?.removing ?? {} };
  }

  /** Replaces the roster after the first user was inserted: it may still name users whom an operator has deleted. */
  async reset(confirmedIds: string[]): Promise<void> {
    await this.#rosters.replaceOne({ _id: rosterId }, { confirmedIds, pending: {}, removing: {} }, { upsert: true });
  }

  /**
   * Creates the roster if there is none. Without a roster no admin can be demoted or disabled. So the users that are
   * read here are still enabled admins when the roster is inserted. If another pod inserts it first, that one stays.
   */
  async #ensureRoster(): Promise<void> {
    if ((await this.#rosters.findOne({ _id: rosterId }, { projection: { _id: 1 }, maxTimeMS })) !== null) return;
    try {
      const confirmedIds = await this.#readEnabledAdminIds();
      await this.#rosters.insertOne({ _id: rosterId, confirmedIds, pending: {}, removing: {} });
    } catch (error) {
      if (!isDuplicateKey(error)) throw error;
    }
  }
}
