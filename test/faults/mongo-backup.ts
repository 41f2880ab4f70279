import { type Document, MongoClient } from 'mongodb';
import type { Environment } from '../drivers/cluster/service-process.ts';

/** The documents of a database at one time. */
export interface MongoBackup {
  /** Replaces the current documents with the copies. No process may use the database meanwhile. */
  restore(): Promise<void>;
}

/** Copies every document. Indexes are neither copied nor restored. */
export async function backUpMongo({ MONGODB_URL = '' }: Environment): Promise<MongoBackup> {
  const withDatabase = async <Result>(work: (db: ReturnType<MongoClient['db']>) => Promise<Result>) => {
    const client = await new MongoClient(MONGODB_URL).connect();
    try {
      return await work(client.db());
    } finally {
      await client.close();
    }
  };
  const copies = await withDatabase(async (db) => {
    const documents = new Map<string, Document[]>();
    for (const collection of await db.collections()) {
      documents.set(collection.collectionName, await collection.find({}).toArray());
    }
    return documents;
  });
  return {
    restore: () =>
      withDatabase(async (db) => {
        for (const [name, documents] of copies) {
          await db.collection(name).deleteMany({});
          if (documents.length > 0) await db.collection(name).insertMany(documents);
        }
      }),
  };
}
