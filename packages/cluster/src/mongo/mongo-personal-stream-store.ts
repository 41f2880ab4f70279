import { createRowReader } from '@widget-service/shared/adapters/row-reader.ts';
import { personalStreamShape } from '@widget-service/shared/adapters/row-shapes.ts';
import type { PersonalStreamStore } from '@widget-service/shared/ports/personal-stream-store.ts';
import { requestDeadlineMs } from '@widget-service/shared/runtime/deadline.ts';
import type { Db } from 'mongodb';
import type { OnWarning } from '../redis/targets.ts';
import { collectionNames } from './indexes.ts';
import { insertOwn, runPortCall, runRead } from './translate-error.ts';

interface PersonalStreamDocument {
  /** The token's digest. */
  _id: string;
  userId: string;
  sessionDigest: string;
  issuedAt: Date;
  expiresAt: Date;
}

export function createMongoPersonalStreamStore(db: Db, onWarning?: OnWarning): PersonalStreamStore {
  const rows = createRowReader({
    of: collectionNames.personalStreams,
    // Not `_id`, which is the digest.
    identify: ({ userId }: PersonalStreamDocument) => `of user ${userId}`,
    convert: ({ _id: tokenDigest, userId, sessionDigest, issuedAt, expiresAt }) => ({
      tokenDigest,
      userId,
      sessionDigest,
      issuedAt,
      expiresAt,
    }),
    shape: personalStreamShape,
    onWarning,
  });
  const streams = db.collection<PersonalStreamDocument>(collectionNames.personalStreams);

  return {
    insert: ({ tokenDigest, userId, sessionDigest, issuedAt, expiresAt }) =>
      runPortCall('insert a personal stream', () =>
        insertOwn(streams, { _id: tokenDigest, userId, sessionDigest, issuedAt, expiresAt }),
      ),
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
      runRead('find a personal stream', async () => {
        return rows.readIfAny(await streams.findOne({ _id: digest }, { maxTimeMS: requestDeadlineMs }));
      }),
  };
}
