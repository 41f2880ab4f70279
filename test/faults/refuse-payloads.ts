import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { databaseFileName } from '@widget-service/embedded/database.ts';
import { MongoClient } from 'mongodb';

/** Where a payload is written: with its widget, or as a row of the ledger. */
export type PayloadPlace = 'outbox' | 'ledger';

const sqliteTables = { outbox: 'outbox_entries', ledger: 'deliveries' } as const;

/**
 * Makes the database refuse whatever has `word` in a payload, as it would for good; null lifts it. Only while nobody
 * else has the file.
 */
export function refusePayloadsInSqlite(dataDir: string, place: PayloadPlace, word: string | null): void {
  const db = new DatabaseSync(join(dataDir, databaseFileName));
  db.exec(`DROP TRIGGER IF EXISTS refuse_${place}`);
  if (word !== null) {
    db.exec(
      `CREATE TRIGGER refuse_${place} BEFORE INSERT ON ${sqliteTables[place]} WHEN NEW.payload LIKE '%${word}%' ` +
        "BEGIN SELECT RAISE(ABORT, 'this payload is refused'); END",
    );
  }
  db.close();
}

const mongoFields = {
  outbox: { collection: 'widgets', field: 'outbox.payload' },
  ledger: { collection: 'deliveries', field: 'payload' },
} as const;

/** The same by a validator of the collection, which takes effect at once. */
export async function refusePayloadsInMongo(
  target: { readonly url: string; readonly database: string },
  place: PayloadPlace,
  word: string | null,
): Promise<void> {
  const { collection, field } = mongoFields[place];
  const client = await new MongoClient(target.url).connect();
  try {
    const validator = word === null ? {} : { [field]: { $not: { $regex: word } } };
    await client.db(target.database).command({ collMod: collection, validator });
  } finally {
    await client.close();
  }
}
