import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { listEntityIndexes } from '@widget-service/cluster/mongo/indexes.ts';
import { MongoCollection } from '@widget-service/cluster/mongo/mongo-collection.ts';
import { databaseFileName, openDatabase } from '@widget-service/embedded/open-database.ts';
import { SqliteCollection } from '@widget-service/embedded/sqlite-collection.ts';
import type { Entity } from '@widget-service/shared/entities/define-entity.ts';
import type { Collection } from '@widget-service/shared/ports/collection.ts';
import { MongoClient } from 'mongodb';
import { inject } from 'vitest';
import { requireServerUrl } from '../cluster/servers.ts';

export interface TestCollection<T> {
  readonly collection: Collection<T>;
  /** Sets a member of a stored entity to a value that the collection would never write. */
  readonly damage: (key: string, member: string, value: string | number) => Promise<void>;
  readonly warnings: readonly { message: string; details: object | undefined }[];
  readonly dispose: () => Promise<void>;
}

/** Opens a collection of its own on the backend under test. */
export async function openTestCollection<T extends object>(entity: Entity<T>): Promise<TestCollection<T>> {
  const warnings: { message: string; details: object | undefined }[] = [];
  const onWarning = (message: string, details?: object) => warnings.push({ message, details });
  const open = inject('backend') === 'cluster' ? openInMongo : openInSqlite;
  return { ...(await open(entity, onWarning)), warnings };
}

type OnWarning = (message: string, details?: object) => void;
type Opened<T> = Omit<TestCollection<T>, 'warnings'>;

async function openInMongo<T extends object>(entity: Entity<T>, onWarning: OnWarning): Promise<Opened<T>> {
  const client = await MongoClient.connect(requireServerUrl('MONGODB_URL'), { ignoreUndefined: true });
  const db = client.db(`t-${randomBytes(8).toString('hex')}`);
  const documents = db.collection<{ _id: string }>(entity.name);
  await documents.createIndexes(listEntityIndexes(entity).map((spec) => ({ ...spec, key: { ...spec.key } })));
  return {
    collection: new MongoCollection(db, entity, onWarning),
    damage: async (key, member, value) => {
      await documents.updateOne({ _id: key }, { $set: { [member]: value } });
    },
    dispose: async () => {
      await db.dropDatabase();
      await client.close();
    },
  };
}

async function openInSqlite<T extends object>(entity: Entity<T>, onWarning: OnWarning): Promise<Opened<T>> {
  const folder = await mkdtemp(join(tmpdir(), 'widget-service-test-'));
  const db = openDatabase(folder);
  return {
    collection: new SqliteCollection(db, entity, onWarning),
    damage: async (key, member, value) => {
      const other = new DatabaseSync(join(folder, databaseFileName));
      other
        .prepare(`UPDATE "${entity.name}" SET body = json_set(body, ?, ?) WHERE key = ?`)
        .run(`$.${member}`, value, key);
      other.close();
    },
    dispose: async () => {
      db.close();
      await rm(folder, { recursive: true });
    },
  };
}
