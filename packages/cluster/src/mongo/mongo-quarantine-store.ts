import type { QuarantinedText, QuarantineStore } from '@widget-service/shared/ports/quarantine-store.ts';
import type { Collection, Db } from 'mongodb';
import { collectionNames } from './indexes.ts';
import { isDuplicateKey, runPortCall } from './translate-error.ts';

interface QuarantineDocument {
  _id: string;
  text: string;
}

export class MongoQuarantineStore implements QuarantineStore {
  readonly #texts: Collection<QuarantineDocument>;

  constructor(db: Db) {
    this.#texts = db.collection<QuarantineDocument>(collectionNames.quarantine);
  }

  add({ id, text }: QuarantinedText): Promise<void> {
    return runPortCall('quarantine a text', async () => {
      try {
        await this.#texts.insertOne({ _id: id, text });
      } catch (error) {
        // The text is already stored: its job ran before.
        if (!isDuplicateKey(error)) throw error;
      }
    });
  }
}
