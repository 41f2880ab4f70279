import type { Integration, IntegrationStore } from '@widget-service/shared/ports/integration-store.ts';
import type { Collection, Db } from 'mongodb';
import { collectionNames } from './indexes.ts';
import { guarded, requestDeadlineMs } from './translate-error.ts';

interface IntegrationDocument {
  _id: string;
  name: string;
  tokenDigest: string;
  deduplicateByContent: boolean;
  createdAt: Date;
}

export class MongoIntegrationStore implements IntegrationStore {
  readonly #integrations: Collection<IntegrationDocument>;

  constructor(db: Db) {
    this.#integrations = db.collection<IntegrationDocument>(collectionNames.integrations);
  }

  insert({ id, name, tokenDigest, deduplicateByContent, createdAt }: Integration): Promise<void> {
    return guarded('insert an integration', async () => {
      await this.#integrations.insertOne({ _id: id, name, tokenDigest, deduplicateByContent, createdAt });
    });
  }

  findByTokenDigest(digest: string): Promise<Integration | null> {
    return guarded('find an integration', async () => {
      const document = await this.#integrations.findOne({ tokenDigest: digest }, { maxTimeMS: requestDeadlineMs });
      if (document === null) return null;
      const { _id: id, name, tokenDigest, deduplicateByContent, createdAt } = document;
      return { id, name, tokenDigest, deduplicateByContent, createdAt };
    });
  }
}
