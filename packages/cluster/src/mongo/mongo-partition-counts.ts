import { requestDeadlineMs } from '@widget-service/shared/runtime/clock.ts';
import type { Collection, Db } from 'mongodb';
import { requireAccess } from './client.ts';
import { collectionNames } from './indexes.ts';
import { retryOnDuplicateKey, runPortCall, runRead } from './translate-error.ts';

interface PartitionCountsDocument {
  _id: string;
  counts: number[];
}

const listId = 'hooks';
const maxTimeMS = requestDeadlineMs;

/**
 * Appends `count` to the list of partition counts, unless it is the last entry already. Returns the whole list, which
 * is one document. Throws `UnavailableError`.
 */
export function listPartitionCount(db: Db, count: number): Promise<readonly number[]> {
  return runPortCall('list a partition count', async () => {
    const counts = { $ifNull: ['$counts', []] };
    const isNewest = { $eq: [{ $arrayElemAt: [counts, -1] }, count] };
    const upsert = () =>
      toCollection(db).findOneAndUpdate(
        { _id: listId },
        [{ $set: { counts: { $cond: [isNewest, counts, { $concatArrays: [counts, [count]] }] } } }],
        { upsert: true, returnDocument: 'after', maxTimeMS },
      );
    // The first write of a start.
    const document = await requireAccess(() => retryOnDuplicateKey(upsert));
    return document?.counts ?? [];
  });
}

/** Returns the whole list. Empty before the first `listPartitionCount`. Throws `UnavailableError`. */
export function readPartitionCounts(db: Db): Promise<readonly number[]> {
  return runRead('read the partition counts', async () => {
    const document = await toCollection(db).findOne({ _id: listId }, { maxTimeMS });
    return document?.counts ?? [];
  });
}

function toCollection(db: Db): Collection<PartitionCountsDocument> {
  return db.collection<PartitionCountsDocument>(collectionNames.partitions);
}
