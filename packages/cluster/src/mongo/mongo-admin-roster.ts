import { randomUUID } from 'node:crypto';
import { requestDeadlineMs } from '@widget-service/shared/runtime/deadline.ts';
import type { Collection, Db } from 'mongodb';
import { collectionNames } from './indexes.ts';
import { isDuplicateKey } from './translate-error.ts';

interface RosterDocument {
  _id: string;
  /** Users who surely are admins and not disabled: perhaps not all of them, but never one who is not. */
  ids: string[];
  /** Users who are being made one, each with the mark of the latest attempt. */
  joining: Record<string, string>;
  /** Users who were taken out of `ids` so that they can be one no longer, and since when. */
  leaving: Record<string, Date>;
}

export type AdminRoster = Pick<RosterDocument, 'ids' | 'leaving'>;

const guardId = 'admins';
const maxTimeMS = requestDeadlineMs;

/**
 * Decides, in one document and so at once for all pods, who may stop being an admin. The users' own documents follow
 * it: who is to stop leaves here first, and only while somebody else is left; who is made one announces it here,
 * becomes one, and counts only then. A pod that dies in between leaves an admin who is not counted: somebody may then
 * be refused to stop who could have, never the other way round.
 */
export class MongoAdminRoster {
  readonly #rosters: Collection<RosterDocument>;
  readonly #enabledAdminIds: () => Promise<string[]>;

  /** `enabledAdminIds` reads who they are from the users, for a database that has no guard yet. */
  constructor(db: Db, enabledAdminIds: () => Promise<string[]>) {
    this.#rosters = db.collection<RosterDocument>(collectionNames.adminRoster);
    this.#enabledAdminIds = enabledAdminIds;
  }

  /** Announces that the user is about to be one. Returns the mark to confirm it with. */
  async addPending(id: string): Promise<string> {
    await this.#ensure();
    const mark = randomUUID();
    await this.#rosters.updateOne({ _id: guardId }, { $set: { [`joining.${id}`]: mark } });
    return mark;
  }

  /** Counts the user from now on, unless somebody has had them leave since they joined. */
  async confirm(id: string, mark: string): Promise<void> {
    await this.#rosters.updateOne(
      { _id: guardId, [`joining.${id}`]: mark },
      { $addToSet: { ids: id }, $unset: { [`joining.${id}`]: '', [`leaving.${id}`]: '' } },
    );
  }

  /** Whether the user may stop being one: somebody else is left. From now on they are not counted. */
  async remove(id: string, at: Date): Promise<boolean> {
    await this.#ensure();
    const { matchedCount } = await this.#rosters.updateOne(
      { _id: guardId, ids: { $elemMatch: { $ne: id } } },
      { $pull: { ids: id }, $unset: { [`joining.${id}`]: '' }, $set: { [`leaving.${id}`]: at } },
    );
    return matchedCount === 1;
  }

  /** Forgets that the user was leaving: they have. */
  async finishRemoval(id: string): Promise<void> {
    await this.#rosters.updateOne({ _id: guardId }, { $unset: { [`leaving.${id}`]: '' } });
  }

  async read(): Promise<AdminRoster> {
    const found = await this.#rosters.findOne({ _id: guardId }, { maxTimeMS });
    return { ids: found?.ids ?? [], leaving: found?.leaving ?? {} };
  }

  /** Begins anew with the only user there is: what stands here may be about users whom an operator removed. */
  async reset(ids: string[]): Promise<void> {
    await this.#rosters.replaceOne({ _id: guardId }, { ids, joining: {}, leaving: {} }, { upsert: true });
  }

  /** While there is no guard nobody can stop being an admin, so who was read to be one still is. */
  async #ensure(): Promise<void> {
    if ((await this.#rosters.findOne({ _id: guardId }, { projection: { _id: 1 }, maxTimeMS })) !== null) return;
    try {
      await this.#rosters.insertOne({ _id: guardId, ids: await this.#enabledAdminIds(), joining: {}, leaving: {} });
    } catch (error) {
      if (!isDuplicateKey(error)) throw error;
    }
  }
}
