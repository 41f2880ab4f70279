import type { NumberedPosition, RunRegister } from '@widget-service/shared/ports/run-register.ts';
import type { Collection, Db } from 'mongodb';
import { collectionNames } from './indexes.ts';
import { againOnDuplicateKey, guarded, runDeadlineMs } from './translate-error.ts';

interface RegisterDocument {
  _id: string;
  run: number;
  lastPosition?: NumberedPosition;
}

const registerId = 'register';

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

  record({ epochRun, epoch, ms, seq }: NumberedPosition): Promise<void> {
    return guarded(
      'record a position',
      async () => {
        await againOnDuplicateKey(() =>
          this.#runs.updateOne({ _id: registerId }, { $setOnInsert: { run: 0 } }, { upsert: true }),
        );
        await this.#runs.updateOne(
          {
            _id: registerId,
            $or: [
              { lastPosition: { $exists: false } },
              { 'lastPosition.epochRun': { $lt: epochRun } },
              { 'lastPosition.epochRun': epochRun, 'lastPosition.seq': { $lt: seq } },
            ],
          },
          { $set: { lastPosition: { epochRun, epoch, ms, seq } } },
        );
      },
      runDeadlineMs,
    );
  }
}

function toPosition(stored: NumberedPosition | undefined): NumberedPosition | null {
  if (stored === undefined) return null;
  return { epochRun: stored.epochRun, epoch: stored.epoch, ms: stored.ms, seq: stored.seq };
}
