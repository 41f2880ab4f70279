import type { QuarantinedText, QuarantineStore } from '@widget-service/shared/ports/quarantine-store.ts';
import { requestDeadlineMs } from '@widget-service/shared/runtime/deadline.ts';
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
    return runPortCall('set a text aside', async () => {
      try {
        await this.#texts.insertOne({ _id: id, text });
      } catch (error) {
        if (!isDuplicateKey(error)) throw error;
      }
    });
  }

  list(limit: number): Promise<QuarantinedText[]> {
    return runPortCall('list texts set aside', async () => {
      const documents = await this.#texts.find({}, { maxTimeMS: requestDeadlineMs }).limit(limit).toArray();
      return documents.map(({ _id: id, text }) => ({ id, text }));
    });
  }
}
