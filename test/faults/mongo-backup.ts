import { type Document, MongoClient } from 'mongodb';
import type { Environment } from '../drivers/service-process.ts';

/** What a database held at one time. */
export interface MongoBackup {
  /** Puts it back in the place of what is there now. Nobody else may be using the database. */
  restore(): Promise<void>;
}

/** Copies every document; the indexes stay where they are. */
export async function backUpMongo({ MONGODB_URL = '', MONGODB_DATABASE = '' }: Environment): Promise<MongoBackup> {
  const withDatabase = async <Result>(work: (db: ReturnType<MongoClient['db']>) => Promise<Result>) => {
    const client = await new MongoClient(MONGODB_URL).connect();
    try {
      return await work(client.db(MONGODB_DATABASE));
    } finally {
      await client.close();
    }
  };
  const copies = await withDatabase(async (db) => {
    const found = new Map<string, Document[]>();
    for (const collection of await db.collections()) {
      found.set(collection.collectionName, await collection.find({}).toArray());
    }
    return found;
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
