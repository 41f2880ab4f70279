import type { ComparablePosition, RunRegistry } from '@widget-service/shared/ports/run-registry.ts';
import type { Collection, Db, Filter } from 'mongodb';
import { collectionNames } from './indexes.ts';
import { retryOnDuplicateKey, runDeadlineMs, runPortCall } from './translate-error.ts';

interface RegisterDocument {
  _id: string;
  run: number;
  lastPosition?: ComparablePosition;
}

export const registryId = 'register';

/** One document, so that a number and the position that goes with it are read together. */
export class MongoRunRegistry implements RunRegistry {
  readonly #runs: Collection<RegisterDocument>;

  constructor(db: Db) {
    this.#runs = db.collection<RegisterDocument>(collectionNames.runs);
  }

  startRun(): Promise<{ readonly run: number; readonly lastPosition: ComparablePosition | null }> {
    return runPortCall(
      'number a run',
      async () => {
        const document = await retryOnDuplicateKey(() =>
          this.#runs.findOneAndUpdate(
            { _id: registryId },
            { $inc: { run: 1 } },
            { upsert: true, returnDocument: 'after', maxTimeMS: runDeadlineMs },
          ),
        );
        if (document === null) throw new Error('An upsert that returns the document after it returned none.');
        return { run: document.run, lastPosition: toPosition(document.lastPosition) };
      },
      runDeadlineMs,
    );
  }

  lastPosition(): Promise<ComparablePosition | null> {
    return runPortCall(
      'read the last position',
      async () => {
        const document = await this.#runs.findOne({ _id: registryId }, { maxTimeMS: runDeadlineMs });
        return toPosition(document?.lastPosition);
      },
      runDeadlineMs,
    );
  }

  recordPosition({ epochRun, epoch, ms, seq }: ComparablePosition, over: ComparablePosition | null): Promise<boolean> {
    return runPortCall(
      'record a position',
      async () => {
        await retryOnDuplicateKey(() =>
          this.#runs.updateOne({ _id: registryId }, { $setOnInsert: { run: 0 } }, { upsert: true }),
        );
        const { matchedCount } = await this.#runs.updateOne(
          { _id: registryId, ...rememberedIs(over) },
          { $set: { lastPosition: { epochRun, epoch, ms, seq } } },
        );
        return matchedCount === 1;
      },
      runDeadlineMs,
    );
  }
}

/** Member by member: two documents are only equal with their members in one order. */
function rememberedIs(position: ComparablePosition | null): Filter<RegisterDocument> {
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
