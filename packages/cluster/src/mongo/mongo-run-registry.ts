import type { ComparablePosition, RunRegistry } from '@widget-service/shared/ports/run-registry.ts';
import type { Collection, Db, Filter, WriteConcernSettings } from 'mongodb';
import { collectionNames } from './indexes.ts';
import { createRunCall, type RunCall } from './run-calls.ts';
import { isDuplicateKey, retryOnDuplicateKey } from './translate-error.ts';

interface RegistryDocument {
  _id: string;
  /** The number of the latest run. */
  run: number;
  /** Absent until a run records a position. */
  lastPosition?: ComparablePosition;
  /** How often `new-epoch` was run. Absent: never. */
  newEpochs?: number;
  /** True once the event log held a number that this counter had not yet given (ADR 45). `new-epoch` removes it. */
  isBehindLog?: boolean;
}

/** A run registry that returns the members of `RunCounter.read` with each number. */
export interface MongoRunRegistry extends RunRegistry {
  startRun(): Promise<
    Awaited<ReturnType<RunRegistry['startRun']>> & { readonly newEpochs: number; readonly isBehindLog: boolean }
  >;
}

/** The `_id` of the one document of the run registry. */
export const registryId = 'register';

/** One document holds the run counter and the last recorded position, so that one read returns both. */
export function createMongoRunRegistry(db: Db, runCall: RunCall = createRunCall()): MongoRunRegistry {
  const runs = db.collection<RegistryDocument>(collectionNames.runs);

  return {
    startRun: () =>
      runCall('start a run', async ({ deadlineMs, writeConcern }) => {
        const options = { upsert: true, returnDocument: 'after', maxTimeMS: deadlineMs, writeConcern } as const;
        const document = await retryOnDuplicateKey(() =>
          runs.findOneAndUpdate({ _id: registryId }, { $inc: { run: 1 } }, options),
        );
        if (document === null) throw new Error('MongoDB, start a run: the upsert returned no document');
        const { run, newEpochs = 0, isBehindLog = false } = document;
        return { run, newEpochs, isBehindLog, lastPosition: toPosition(document.lastPosition) };
      }),
    lastPosition: () =>
      runCall('read the last recorded position', async ({ deadlineMs }) => {
        const document = await runs.findOne({ _id: registryId }, { maxTimeMS: deadlineMs });
        return toPosition(document?.lastPosition);
      }),
    recordPosition: ({ epochRun, epoch, ms, seq }, expected) =>
      runCall('record a position', async ({ writeConcern }) => {
        const lastPosition = { epochRun, epoch, ms, seq };
        const filter = { _id: registryId, ...matchRecorded(expected) };
        if (expected === null) return await setOrInsert(runs, filter, { lastPosition }, writeConcern);
        const { matchedCount } = await runs.updateOne(filter, { $set: { lastPosition } }, { writeConcern });
        return matchedCount === 1;
      }),
  };
}

/**
 * Sets the members if the document matches or does not exist yet. Returns whether it did. It is one write, because a
 * second write does not always find the document that the first one inserted (FerretDB, after `dropDatabase`).
 */
async function setOrInsert(
  runs: Collection<RegistryDocument>,
  filter: Filter<RegistryDocument>,
  members: Partial<RegistryDocument>,
  writeConcern: WriteConcernSettings,
): Promise<boolean> {
  const update = { $set: members, $setOnInsert: { run: 0 } };
  try {
    await retryOnDuplicateKey(() => runs.updateOne(filter, update, { upsert: true, writeConcern }));
    return true;
  } catch (error) {
    // The document is there, but does not match.
    if (isDuplicateKey(error)) return false;
    throw error;
  }
}

/** Matches each member by itself: MongoDB compares whole documents including the order of their members. */
function matchRecorded(position: ComparablePosition | null): Filter<RegistryDocument> {
  if (position === null) return { lastPosition: { $exists: false } };
  const { epochRun, epoch, ms, seq } = position;
  return {
    'lastPosition.epochRun': epochRun,
    'lastPosition.epoch': epoch,
    'lastPosition.ms': ms,
    'lastPosition.seq': seq,
  };
}

function toPosition(stored: ComparablePosition | undefined): ComparablePosition | null {
  if (stored === undefined) return null;
  return { epochRun: stored.epochRun, epoch: stored.epoch, ms: stored.ms, seq: stored.seq };
}

/** The run counter of the run registry, as the restore check uses it. Methods throw `UnavailableError`. */
export interface RunCounter {
  /** Returns the latest number, 0 if there is none, and whether `markBehindLog` has marked the counter. */
  read(): Promise<{ readonly run: number; readonly newEpochs: number; readonly isBehindLog: boolean }>;
  /**
   * Marks the counter, unless `new-epoch` was run since `newEpochs` was read, or the number has reached `below`. The
   * write itself compares: after a failover, a read may see an older number for some seconds. Returns whether it did.
   */
  markBehindLog(newEpochs: number, below?: number): Promise<boolean>;
}

export function createMongoRunCounter(db: Db, runCall: RunCall = createRunCall()): RunCounter {
  const runs = db.collection<RegistryDocument>(collectionNames.runs);
  return {
    read: () =>
      runCall('read the run counter', async ({ deadlineMs }) => {
        const document = await runs.findOne({ _id: registryId }, { maxTimeMS: deadlineMs });
        const { run = 0, newEpochs = 0, isBehindLog = false } = document ?? {};
        return { run, newEpochs, isBehindLog };
      }),
    markBehindLog: (newEpochs, below = Number.MAX_SAFE_INTEGER) =>
      runCall('mark the run counter', async ({ writeConcern }) => {
        const unchanged = newEpochs === 0 ? { newEpochs: { $exists: false } } : { newEpochs };
        const filter = { _id: registryId, ...unchanged, run: { $lt: below } };
        return await setOrInsert(runs, filter, { isBehindLog: true }, writeConcern);
      }),
  };
}
