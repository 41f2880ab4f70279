import { setTimeout as delay } from 'node:timers/promises';
import { UnavailableError } from '@widget-service/shared/domain/errors.ts';
import type { ServiceKeyStore } from '@widget-service/shared/ports/service-key-store.ts';
import { requestDeadlineMs } from '@widget-service/shared/runtime/deadline.ts';
import type { Db } from 'mongodb';
import { collectionNames } from './indexes.ts';
import { isDuplicateKey, runPortCall } from './translate-error.ts';

interface ServiceKeyDocument {
  /** The name of the key. */
  _id: string;
  secret: string;
}

export function createMongoServiceKeyStore(db: Db): ServiceKeyStore {
  const keys = db.collection<ServiceKeyDocument>(collectionNames.serviceKeys);

  async function read(name: string): Promise<string | null> {
    const document = await keys.findOne({ _id: name }, { maxTimeMS: requestDeadlineMs });
    return document?.secret ?? null;
  }

  return {
    /**
     * Inserts, and reads what won if another pod was first. No upsert: of racing upserts, a server that only speaks
     * MongoDB's protocol returned several documents as the inserted one.
     */
    ensure: (name, candidate) =>
      runPortCall('ensure a service key', async () => {
        const stored = await read(name);
        if (stored !== null) return stored;
        try {
          await keys.insertOne({ _id: name, secret: candidate });
          return candidate;
        } catch (error) {
          if (!isDuplicateKey(error)) throw error;
        }
        // A document is not readable until the majority has it. `runPortCall` ends the wait.
        for (const end = performance.now() + requestDeadlineMs; performance.now() < end; await delay(20)) {
          const winner = await read(name);
          if (winner !== null) return winner;
        }
        throw new UnavailableError(`MongoDB: the service key ${name} exists but could not be read`);
      }),
  };
}
