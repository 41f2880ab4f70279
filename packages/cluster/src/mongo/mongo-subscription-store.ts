import type { Subscription, SubscriptionStore } from '@widget-service/shared/ports/subscription-store.ts';
import type { Collection, Db } from 'mongodb';
import { collectionNames } from './indexes.ts';
import { guarded, requestDeadlineMs } from './translate-error.ts';

interface SubscriptionDocument {
  _id: string;
  name: string;
  tokenDigest: string;
  createdAt: Date;
}

export class MongoSubscriptionStore implements SubscriptionStore {
  readonly #subscriptions: Collection<SubscriptionDocument>;

  constructor(db: Db) {
    this.#subscriptions = db.collection<SubscriptionDocument>(collectionNames.subscriptions);
  }

  insert({ id, name, tokenDigest, createdAt }: Subscription): Promise<void> {
    return guarded('insert a subscription', async () => {
      await this.#subscriptions.insertOne({ _id: id, name, tokenDigest, createdAt });
    });
  }

  findByTokenDigest(digest: string): Promise<Subscription | null> {
    return guarded('find a subscription', async () => {
      const document = await this.#subscriptions.findOne({ tokenDigest: digest }, { maxTimeMS: requestDeadlineMs });
      if (document === null) return null;
      const { _id: id, name, tokenDigest, createdAt } = document;
      return { id, name, tokenDigest, createdAt };
    });
  }
}
