import { requestDeadlineMs } from '@widget-service/shared/runtime/clock.ts';
import type { Db } from 'mongodb';
import type { PartitionCountStore } from '../bullmq/partition-counts.ts';
import { requireAccess } from './client.ts';
import { collectionNames } from './indexes.ts';
import { retryOnDuplicateKey, runPortCall, runRead } from './translate-error.ts';

interface PartitionCountsDocument {
  _id: string;
  counts: number[];
}

const listId = 'hooks';
const maxTimeMS = requestDeadlineMs;

/** Keeps the whole list in one document. */
export function createMongoPartitionCountStore(db: Db): PartitionCountStore {
  const partitions = db.collection<PartitionCountsDocument>(collectionNames.partitions);

  return {
    ensureListed: (count) =>
      runPortCall('list a partition count', async () => {
        const counts = { $ifNull: ['$counts', []] };
        const isNewest = { $eq: [{ $arrayElemAt: [counts, -1] }, count] };
        const upsert = () =>
          partitions.findOneAndUpdate(
            { _id: listId },
            [{ $set: { counts: { $cond: [isNewest, counts, { $concatArrays: [counts, [count]] }] } } }],
            { upsert: true, returnDocument: 'after', maxTimeMS },
          );
        // The first write of a start.
        const document = await requireAccess(() => retryOnDuplicateKey(upsert));
        return document?.counts ?? [];
      }),
    read: () =>
      runRead('read the partition counts', async () => {
        const document = await partitions.findOne({ _id: listId }, { maxTimeMS });
        return document?.counts ?? [];
      }),
  };
}
