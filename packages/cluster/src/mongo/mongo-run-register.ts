import type { NumberedPosition, RunRegister } from '@widget-service/shared/ports/run-register.ts';
import type { Collection, Db, Filter } from 'mongodb';
import { collectionNames } from './indexes.ts';
import { againOnDuplicateKey, guarded, runDeadlineMs } from './translate-error.ts';

interface RegisterDocument {
  _id: string;
  run: number;
  lastPosition?: NumberedPosition;
}

export const registerId = 'register';

/** One document, so that a number and the position that goes with it are read together. */
export class MongoRunRegister implements RunRegister {
  readonly #runs: Collection<RegisterDocument>;

  constructor(db: Db) {
    this.#runs = db.collection<RegisterDocument>(collectionNames.runs);
  }

  next(): Promise<{ readonly run: number; readonly lastPosition: NumberedPosition | null }> {
    return guarded(
      'number a run',
      async () => {
        const document = await againOnDuplicateKey(() =>
          this.#runs.findOneAndUpdate(
            { _id: registerId },
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

  lastPosition(): Promise<NumberedPosition | null> {
    return guarded(
      'read the last position',
      async () => {
        const document = await this.#runs.findOne({ _id: registerId }, { maxTimeMS: runDeadlineMs });
        return toPosition(document?.lastPosition);
      },
      runDeadlineMs,
    );
  }

  record({ epochRun, epoch, ms, seq }: NumberedPosition, over: NumberedPosition | null): Promise<boolean> {
    return guarded(
      'record a position',
      async () => {
        await againOnDuplicateKey(() =>
          this.#runs.updateOne({ _id: registerId }, { $setOnInsert: { run: 0 } }, { upsert: true }),
        );
        const { matchedCount } = await this.#runs.updateOne(
          { _id: registerId, ...rememberedIs(over) },
          { $set: { lastPosition: { epochRun, epoch, ms, seq } } },
        );
        return matchedCount === 1;
      },
      runDeadlineMs,
    );
  }
}

/** Member by member: two documents are only equal with their members in one order. */
function rememberedIs(position: NumberedPosition | null): Filter<RegisterDocument> {
  if (position === null) return { lastPosition: { $exists: false } };
  const { epochRun, epoch, ms, seq } = position;
  return {
    'lastPosition.epochRun': epochRun,
    'lastPosition.epoch': epoch,
    'lastPosition.ms': ms,
    'lastPosition.seq': seq,
  };
}

function toPosition(stored: NumberedPosition | undefined): NumberedPosition | null {
  if (stored === undefined) return null;
  return { epochRun: stored.epochRun, epoch: stored.epoch, ms: stored.ms, seq: stored.seq };
}
