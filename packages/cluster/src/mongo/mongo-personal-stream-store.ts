import type { PersonalStream, PersonalStreamStore } from '@widget-service/shared/ports/personal-stream-store.ts';
import { requestDeadlineMs } from '@widget-service/shared/runtime/deadline.ts';
import type { Collection, Db } from 'mongodb';
import { collectionNames } from './indexes.ts';
import { runPortCall } from './translate-error.ts';

interface PersonalStreamDocument {
  /** The token's digest. */
  _id: string;
  userId: string;
  sessionDigest: string;
  issuedAt: Date;
  expiresAt: Date;
}

export class MongoPersonalStreamStore implements PersonalStreamStore {
  readonly #streams: Collection<PersonalStreamDocument>;

  constructor(db: Db) {
    this.#streams = db.collection<PersonalStreamDocument>(collectionNames.personalStreams);
  }

  insert({ tokenDigest, userId, sessionDigest, issuedAt, expiresAt }: PersonalStream): Promise<void> {
    return runPortCall('insert a personal stream', async () => {
      await this.#streams.insertOne({ _id: tokenDigest, userId, sessionDigest, issuedAt, expiresAt });
    });
  }

  removeOldest(userId: string, keep: number, now: Date): Promise<readonly string[]> {
    return runPortCall("remove a user's oldest personal streams", async () => {
      const filter = { userId, expiresAt: { $gt: now } };
      const sort = { issuedAt: -1, _id: -1 } as const;
      const options = { sort, skip: keep, projection: { sessionDigest: 1 }, maxTimeMS: requestDeadlineMs };
      const oldest = await this.#streams.find(filter, options).toArray();
      if (oldest.length === 0) return [];
      await this.#streams.deleteMany({ _id: { $in: oldest.map(({ _id }) => _id) } });
      return [...new Set(oldest.map(({ sessionDigest }) => sessionDigest))];
    });
  }

  findByTokenDigest(digest: string): Promise<PersonalStream | null> {
    return runPortCall('find a personal stream', async () => {
      const document = await this.#streams.findOne({ _id: digest }, { maxTimeMS: requestDeadlineMs });
      if (document === null) return null;
      const { _id: tokenDigest, userId, sessionDigest, issuedAt, expiresAt } = document;
      return { tokenDigest, userId, sessionDigest, issuedAt, expiresAt };
    });
  }
}
