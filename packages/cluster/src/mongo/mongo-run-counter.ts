import type { Db } from 'mongodb';
import { collectionNames } from './indexes.ts';
import { registryId } from './mongo-run-registry.ts';
import { createRunCall, type RunCall } from './run-calls.ts';
import { retryOnDuplicateKey } from './translate-error.ts';

interface CounterDocument {
  _id: string;
  run: number;
  /** How often `new-epoch` was run. Absent: never. */
  newEpochs?: number;
  /** True once the event log knew a number that this document had not yet given. `new-epoch` removes it. */
  isBehindLog?: boolean;
}

/** The run counter of the run registry, as the restore check uses it. Methods throw `UnavailableError`. */
export interface RunCounter {
  /** Returns the latest number, 0 if there is none, and whether `markBehindLog` has marked the counter. */
  read(): Promise<{ readonly run: number; readonly newEpochs: number; readonly isBehindLog: boolean }>;
  /**
   * Marks the counter, unless `new-epoch` was run since `newEpochs` was read, or the number is not `below` this one.
   * The write itself compares it: a new primary may show a read an older number for some seconds. Returns whether it
   * did.
   */
  markBehindLog(newEpochs: number, below?: number): Promise<boolean>;
}

export function createMongoRunCounter(db: Db, runCall: RunCall = createRunCall()): RunCounter {
  const runs = db.collection<CounterDocument>(collectionNames.runs);
  return {
    read: () =>
      runCall('read the run counter', async ({ deadlineMs }) => {
        const document = await runs.findOne({ _id: registryId }, { maxTimeMS: deadlineMs });
        const { run = 0, newEpochs = 0, isBehindLog = false } = document ?? {};
        return { run, newEpochs, isBehindLog };
      }),
    markBehindLog: (newEpochs, below = Number.MAX_SAFE_INTEGER) =>
      runCall('mark the run counter', async ({ writeConcern }) => {
        await retryOnDuplicateKey(() =>
          runs.updateOne({ _id: registryId }, { $setOnInsert: { run: 0 } }, { upsert: true, writeConcern }),
        );
        const unchanged = newEpochs === 0 ? { newEpochs: { $exists: false } } : { newEpochs };
        const filter = { _id: registryId, ...unchanged, run: { $lt: below } };
        return (await runs.updateOne(filter, { $set: { isBehindLog: true } }, { writeConcern })).matchedCount === 1;
      }),
  };
}
