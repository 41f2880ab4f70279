import type { SetAsideStore, SetAsideText } from '@widget-service/shared/ports/set-aside-store.ts';
import { requestDeadlineMs } from '@widget-service/shared/runtime/deadline.ts';
import type { Collection, Db } from 'mongodb';
import { collectionNames } from './indexes.ts';
import { guarded, isDuplicateKey } from './translate-error.ts';

interface SetAsideDocument {
  _id: string;
  text: string;
}

export class MongoSetAsideStore implements SetAsideStore {
  readonly #texts: Collection<SetAsideDocument>;

  constructor(db: Db) {
    this.#texts = db.collection<SetAsideDocument>(collectionNames.setAside);
  }

  keep({ id, text }: SetAsideText): Promise<void> {
    return guarded('set a text aside', async () => {
      try {
        await this.#texts.insertOne({ _id: id, text });
      } catch (error) {
        if (!isDuplicateKey(error)) throw error;
      }
    });
  }

  list(limit: number): Promise<SetAsideText[]> {
    return guarded('list texts set aside', async () => {
      const documents = await this.#texts.find({}, { maxTimeMS: requestDeadlineMs }).limit(limit).toArray();
      return documents.map(({ _id: id, text }) => ({ id, text }));
    });
  }
}
