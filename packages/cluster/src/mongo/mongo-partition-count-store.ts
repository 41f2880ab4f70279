import { requestDeadlineMs } from '@widget-service/shared/runtime/deadline.ts';
import type { Collection, Db } from 'mongodb';
import type { PartitionCountStore } from '../bullmq/partition-counts.ts';
import { collectionNames } from './indexes.ts';
import { retryOnDuplicateKey, runPortCall } from './translate-error.ts';

interface PartitionCountsDocument {
  _id: string;
  counts: number[];
}

const listId = 'hooks';
const maxTimeMS = requestDeadlineMs;

/** Keeps the whole list in one document. */
export class MongoPartitionCountStore implements PartitionCountStore {
  readonly #partitions: Collection<PartitionCountsDocument>;

  constructor(db: Db) {
    this.#partitions = db.collection<PartitionCountsDocument>(collectionNames.partitions);
  }

  ensureListed(count: number): Promise<number[]> {
    return runPortCall('list a partition count', async () => {
      const counts = { $ifNull: ['$counts', []] };
      const isNewest = { $eq: [{ $arrayElemAt: [counts, -1] }, count] };
      const document = await retryOnDuplicateKey(() =>
        this.#partitions.findOneAndUpdate(
          { _id: listId },
          [{ $set: { counts: { $cond: [isNewest, counts, { $concatArrays: [counts, [count]] }] } } }],
          { upsert: true, returnDocument: 'after', maxTimeMS },
        ),
      );
      return document?.counts ?? [];
    });
  }

  read(): Promise<number[]> {
    return runPortCall('read the partition counts', async () => {
      const document = await this.#partitions.findOne({ _id: listId }, { maxTimeMS });
      return document?.counts ?? [];
    });
  }
}
