import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { databaseFileName } from '@widget-service/embedded/open-database.ts';
import { MongoClient } from 'mongodb';

/** Where a payload is stored: in the outbox of its widget, or in a row of the ledger. */
export type PayloadPlace = 'outbox' | 'ledger';

const sqliteTables = { outbox: 'outbox_entries', ledger: 'deliveries' } as const;

/**
 * Makes every payload that contains `word` unstorable, by a trigger; null ends this. Call it only while no process has
 * the file open.
 */
export function rejectPayloadsInSqlite(dataDir: string, place: PayloadPlace, word: string | null): void {
  const db = new DatabaseSync(join(dataDir, databaseFileName));
  db.exec(`DROP TRIGGER IF EXISTS refuse_${place}`);
  if (word !== null) {
    db.exec(
      `CREATE TRIGGER refuse_${place} BEFORE INSERT ON ${sqliteTables[place]} WHEN NEW.payload LIKE '%${word}%' ` +
        "BEGIN SELECT RAISE(ABORT, 'this payload is rejected'); END",
    );
  }
  db.close();
}

const mongoFields = {
  outbox: { collection: 'widgets', field: 'outbox.payload' },
  ledger: { collection: 'deliveries', field: 'payload' },
} as const;

/** Does the same by a validator of the collection. It takes effect at once. */
export async function rejectPayloadsInMongo(
  mongodbUrl: string,
  place: PayloadPlace,
  word: string | null,
): Promise<void> {
  const { collection, field } = mongoFields[place];
  const client = await new MongoClient(mongodbUrl).connect();
  try {
    const validator = word === null ? {} : { [field]: { $not: { $regex: word } } };
    await client.db().command({ collMod: collection, validator });
  } finally {
    await client.close();
  }
}
