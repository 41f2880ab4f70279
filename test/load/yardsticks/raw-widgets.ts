/**
 * The yard-stick for creating and listing widgets: the store's own driver. It inserts and finds documents or rows of
 * the same size, and checks nothing.
 */
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { MongoClient, UUID } from 'mongodb';

/** Returns the widgets per second that the driver inserts, one durable insert per widget. */
export function measureRawInserts(backend: 'embedded' | 'cluster', concurrency: number, forMs: number) {
  return backend === 'embedded' ? insertIntoSqlite(forMs) : insertIntoMongo(concurrency, forMs);
}

async function insertIntoSqlite(forMs: number): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'widget-bench-raw-'));
  const db = new DatabaseSync(join(folder, 'raw.sqlite'));
  try {
    db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA locking_mode = EXCLUSIVE');
    db.exec(
      'CREATE TABLE widgets (id TEXT PRIMARY KEY, created_at INTEGER, body TEXT); CREATE INDEX by_age ON widgets (created_at, id)',
    );
    const insert = db.prepare('INSERT INTO widgets VALUES (?, ?, ?)');
    const body = JSON.stringify(buildDocument());
    let count = 0;
    const startedMs = performance.now();
    for (; performance.now() - startedMs < forMs; count += 1) insert.run(randomUUID(), count, body);
    return count / ((performance.now() - startedMs) / 1_000);
  } finally {
    db.close();
    rmSync(folder, { recursive: true });
  }
}

async function insertIntoMongo(concurrency: number, forMs: number): Promise<number> {
  const client = await new MongoClient(process.env.MONGODB_URL ?? '').connect();
  const db = client.db(`bench-raw-${randomUUID().slice(0, 8)}`, { writeConcern: { w: 'majority', journal: true } });
  try {
    const widgets = db.collection('widgets');
    await widgets.createIndexes([{ key: { id: 1 }, unique: true }, { key: { createdAt: -1, id: -1 } }]);
    let count = 0;
    const startedMs = performance.now();
    const insertUntilDone = async () => {
      for (; performance.now() - startedMs < forMs; count += 1)
        await widgets.insertOne({ id: new UUID(), ...buildDocument() });
    };
    await Promise.all(Array.from({ length: concurrency }, insertUntilDone));
    return count / ((performance.now() - startedMs) / 1_000);
  } finally {
    await db.dropDatabase();
    await client.close();
  }
}

function buildDocument() {
  return {
    name: 'Pump 7',
    state: 'active',
    labels: ['north', 'indoor'],
    owner: null,
    createdAt: new Date(),
    updatedAt: new Date(),
    version: 1,
    outbox: [{ eventId: randomUUID(), kind: 'created', occurredAt: new Date().toISOString() }],
  };
}
