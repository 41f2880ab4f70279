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
  expiresAt: Date;
}

export class MongoPersonalStreamStore implements PersonalStreamStore {
  readonly #streams: Collection<PersonalStreamDocument>;

  constructor(db: Db) {
    this.#streams = db.collection<PersonalStreamDocument>(collectionNames.personalStreams);
  }

  insert({ tokenDigest, userId, sessionDigest, expiresAt }: PersonalStream): Promise<void> {
    return runPortCall('insert a personal stream', async () => {
      await this.#streams.insertOne({ _id: tokenDigest, userId, sessionDigest, expiresAt });
    });
  }

  findByTokenDigest(digest: string): Promise<PersonalStream | null> {
    return runPortCall('find a personal stream', async () => {
      const document = await this.#streams.findOne({ _id: digest }, { maxTimeMS: requestDeadlineMs });
      if (document === null) return null;
      const { _id: tokenDigest, userId, sessionDigest, expiresAt } = document;
      return { tokenDigest, userId, sessionDigest, expiresAt };
    });
  }
}
