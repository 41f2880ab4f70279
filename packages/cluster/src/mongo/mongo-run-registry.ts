import type { ComparablePosition, RunRegistry } from '@widget-service/shared/ports/run-registry.ts';
import type { Collection, Db, Filter, WriteConcernSettings } from 'mongodb';
import { collectionNames } from './indexes.ts';
import { RunCalls } from './run-calls.ts';
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

/** The run counter, as the restore check uses it. */
export interface RunCounter {
  /** 0 before the first run. */
  readonly run: number;
  readonly newEpochs: number;
  /** Whether `markBehindLog` has marked the counter. */
  readonly isBehindLog: boolean;
}

/** The `_id` of the one document of the run registry. */
export const registryId = 'register';

/** One document holds the run counter and the last recorded position, so that one read returns both. */
export class MongoRunRegistry implements RunRegistry {
  readonly #runs: Collection<RegistryDocument>;
  readonly #runCalls: RunCalls;

  constructor(db: Db, runCalls = new RunCalls()) {
    this.#runs = db.collection<RegistryDocument>(collectionNames.runs);
    this.#runCalls = runCalls;
  }

  startRun(): Promise<RunCounter & { readonly lastPosition: ComparablePosition | null }> {
    return this.#runCalls.run('start a run', async ({ deadlineMs, writeConcern }) => {
      const options = { upsert: true, returnDocument: 'after', maxTimeMS: deadlineMs, writeConcern } as const;
      const document = await retryOnDuplicateKey(() =>
        this.#runs.findOneAndUpdate({ _id: registryId }, { $inc: { run: 1 } }, options),
      );
      if (document === null) throw new Error('MongoDB, start a run: the upsert returned no document');
      return { ...toCounter(document), lastPosition: toPosition(document.lastPosition) };
    });
  }

  lastPosition(): Promise<ComparablePosition | null> {
    return this.#runCalls.run('read the last recorded position', async ({ deadlineMs }) => {
      const document = await this.#runs.findOne({ _id: registryId }, { maxTimeMS: deadlineMs });
      return toPosition(document?.lastPosition);
    });
  }

  recordPosition({ epochRun, epoch, ms, seq }: ComparablePosition, expected: ComparablePosition | null) {
    return this.#runCalls.run('record a position', async ({ writeConcern }) => {
      const lastPosition = { epochRun, epoch, ms, seq };
      const filter = { _id: registryId, ...matchRecorded(expected) };
      if (expected === null) return await setOrInsert(this.#runs, filter, { lastPosition }, writeConcern);
      const { matchedCount } = await this.#runs.updateOne(filter, { $set: { lastPosition } }, { writeConcern });
      return matchedCount === 1;
    });
  }

  readCounter(): Promise<RunCounter> {
    return this.#runCalls.run('read the run counter', async ({ deadlineMs }) =>
      toCounter(await this.#runs.findOne({ _id: registryId }, { maxTimeMS: deadlineMs })),
    );
  }

  /**
   * Marks the counter, unless `new-epoch` was run since `newEpochs` was read, or the number has reached `below`. The
   * write itself compares: after a failover, a read may see an older number for some seconds. Returns whether it did.
   */
  markBehindLog(newEpochs: number, below = Number.MAX_SAFE_INTEGER): Promise<boolean> {
    return this.#runCalls.run('mark the run counter', async ({ writeConcern }) => {
      const unchanged = newEpochs === 0 ? { newEpochs: { $exists: false } } : { newEpochs };
      const filter = { _id: registryId, ...unchanged, run: { $lt: below } };
      return await setOrInsert(this.#runs, filter, { isBehindLog: true }, writeConcern);
    });
  }
}

function toCounter(document: RegistryDocument | null): RunCounter {
  const { run = 0, newEpochs = 0, isBehindLog = false } = document ?? {};
  return { run, newEpochs, isBehindLog };
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
