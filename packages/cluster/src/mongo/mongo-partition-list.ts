import { requestDeadlineMs } from '@widget-service/shared/runtime/deadline.ts';
import type { Collection, Db } from 'mongodb';
import { collectionNames } from './indexes.ts';
import { retryOnDuplicateKey, runPortCall } from './translate-error.ts';

interface PartitionListDocument {
  _id: string;
  counts: number[];
}

const listId = 'hooks';
const maxTimeMS = requestDeadlineMs;

/**
 * Every number of hook partitions the deployment was ever started with, oldest first. New batches go by the newest
 * one; the queues of all of them are emptied, so that a changed setting leaves no hook behind.
 */
export class MongoPartitionList {
  readonly #partitions: Collection<PartitionListDocument>;

  constructor(db: Db) {
    this.#partitions = db.collection<PartitionListDocument>(collectionNames.partitions);
  }

  /** Appends `count` unless it is the newest entry already; returns the whole list. */
  ensureListed(count: number): Promise<number[]> {
    return runPortCall('list the partitions', async () => {
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

  /** Empty before the first `ensureListed`. */
  read(): Promise<number[]> {
    return runPortCall('read the partitions', async () => {
      const document = await this.#partitions.findOne({ _id: listId }, { maxTimeMS });
      return document?.counts ?? [];
    });
  }
}
