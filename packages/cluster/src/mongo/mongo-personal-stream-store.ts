import type { PersonalStreamStore } from '@widget-service/shared/ports/personal-stream-store.ts';
import { requestDeadlineMs } from '@widget-service/shared/runtime/deadline.ts';
import type { Db } from 'mongodb';
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

export function createMongoPersonalStreamStore(db: Db): PersonalStreamStore {
  const streams = db.collection<PersonalStreamDocument>(collectionNames.personalStreams);

  return {
    insert: ({ tokenDigest, userId, sessionDigest, issuedAt, expiresAt }) =>
      runPortCall('insert a personal stream', async () => {
        await streams.insertOne({ _id: tokenDigest, userId, sessionDigest, issuedAt, expiresAt });
      }),
    removeOldest: (userId, keep, now) =>
      runPortCall("remove a user's oldest personal streams", async () => {
        const filter = { userId, expiresAt: { $gt: now } };
        const sort = { issuedAt: -1, _id: -1 } as const;
        const options = { sort, skip: keep, projection: { sessionDigest: 1 }, maxTimeMS: requestDeadlineMs };
        const oldest = await streams.find(filter, options).toArray();
        if (oldest.length === 0) return [];
        await streams.deleteMany({ _id: { $in: oldest.map(({ _id }) => _id) } });
        return [...new Set(oldest.map(({ sessionDigest }) => sessionDigest))];
      }),
    findByTokenDigest: (digest) =>
      runPortCall('find a personal stream', async () => {
        const document = await streams.findOne({ _id: digest }, { maxTimeMS: requestDeadlineMs });
        if (document === null) return null;
        const { _id: tokenDigest, userId, sessionDigest, issuedAt, expiresAt } = document;
        return { tokenDigest, userId, sessionDigest, issuedAt, expiresAt };
      }),
  };
}
