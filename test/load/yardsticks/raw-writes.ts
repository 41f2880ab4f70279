/**
 * The yard-stick for carrying hooks: the store's own driver makes the writes that no design could save. For each hook
 * it inserts a ledger row, changes the widget, stores the event and marks the row. It reads nothing and checks nothing.
 */
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { batchLimits } from '@widget-service/shared/domain/queue-item.ts';
import { MongoClient, UUID } from 'mongodb';

const hooks = { sqlite: 20_000, mongo: 5_000 } as const;
/** Only on MongoDB. Each writer has widgets of its own, as each partition of the hook queue has. */
const concurrentBatches = 4;
const payload = JSON.stringify({ number: 12_345, note: 'measured at the end of the line' });
/** As long as the JSON of an event. */
const eventJson = JSON.stringify({ text: 'x'.repeat(500) });

/** Returns the hooks per second that the driver reaches on this backend's store. */
export function measureRawWrites(backend: 'embedded' | 'cluster', widgetCount: number): Promise<number> {
  return backend === 'embedded' ? measureSqlite(widgetCount) : measureMongo(widgetCount);
}

async function measureSqlite(widgetCount: number): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'widget-bench-raw-'));
  const db = new DatabaseSync(join(folder, 'raw.sqlite'));
  try {
    db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA locking_mode = EXCLUSIVE');
    db.exec(`
      CREATE TABLE widgets (id TEXT PRIMARY KEY, version INTEGER, updated_at INTEGER) WITHOUT ROWID;
      CREATE TABLE deliveries (event_id TEXT UNIQUE, state TEXT, seq INTEGER, payload TEXT);
      CREATE TABLE events (seq INTEGER PRIMARY KEY, json TEXT);
      CREATE TABLE jobs (seq INTEGER PRIMARY KEY, body TEXT);
    `);
    const insertWidget = db.prepare('INSERT INTO widgets VALUES (?, 1, 0)');
    const widgetIds = Array.from({ length: widgetCount }, () => randomUUID());
    for (const id of widgetIds) insertWidget.run(id);
    const insertJob = db.prepare('INSERT INTO jobs (body) VALUES (?)');
    const deleteJobs = db.prepare('DELETE FROM jobs');
    const insertDelivery = db.prepare("INSERT INTO deliveries VALUES (?, 'received', NULL, ?)");
    const changeWidget = db.prepare('UPDATE widgets SET version = version + 1, updated_at = ? WHERE id = ?');
    const insertEvent = db.prepare('INSERT INTO events (json) VALUES (?)');
    const markPublished = db.prepare("UPDATE deliveries SET state = 'published', seq = ? WHERE event_id = ?");
    const startedMs = performance.now();
    for (let at = 0; at < hooks.sqlite; at += batchLimits.items) {
      const eventIds = Array.from({ length: batchLimits.items }, () => randomUUID());
      insertJob.run(JSON.stringify(eventIds.map((eventId) => ({ eventId, payload }))));
      db.exec('BEGIN');
      for (const [index, eventId] of eventIds.entries()) {
        insertDelivery.run(eventId, payload);
        changeWidget.run(at, widgetIds[(at + index) % widgetCount] ?? '');
        const { lastInsertRowid } = insertEvent.run(eventJson);
        markPublished.run(lastInsertRowid, eventId);
      }
      deleteJobs.run();
      db.exec('COMMIT');
    }
    return hooks.sqlite / ((performance.now() - startedMs) / 1_000);
  } finally {
    db.close();
    rmSync(folder, { recursive: true });
  }
}

async function measureMongo(widgetCount: number): Promise<number> {
  const client = await new MongoClient(process.env.MONGODB_URL ?? '').connect();
  const db = client.db(`bench-raw-${randomUUID().slice(0, 8)}`, { writeConcern: { w: 'majority', journal: true } });
  try {
    const widgets = db.collection<{ _id: UUID; version: number; outbox: object[] }>('widgets');
    const deliveries = db.collection<{ _id: UUID; state: string; payload: string; position?: number }>('deliveries');
    // One more round of widgets, so that every writer has as many.
    const widgetIds = Array.from({ length: widgetCount + concurrentBatches }, () => new UUID());
    await widgets.insertMany(widgetIds.map((_id) => ({ _id, version: 1, outbox: [] })));
    const writeBatch = async (at: number, writer: number) => {
      const eventIds = Array.from({ length: batchLimits.items }, () => new UUID());
      const selectWidget = (index: number) =>
        widgetIds[(((at + index) * concurrentBatches) % widgetCount) + writer] as UUID;
      await deliveries.insertMany(
        eventIds.map((_id) => ({ _id, state: 'received', payload })),
        { ordered: false },
      );
      await widgets.bulkWrite(
        eventIds.map((eventId, index) => ({
          updateOne: {
            filter: { _id: selectWidget(index) },
            update: { $inc: { version: 1 }, $push: { outbox: { eventId, payload } } },
          },
        })),
        { ordered: false },
      );
      await deliveries.bulkWrite(
        eventIds.map((_id, index) => ({
          updateOne: { filter: { _id }, update: { $set: { state: 'published', position: at + index } } },
        })),
        { ordered: false },
      );
      await widgets.bulkWrite(
        eventIds.map((_, index) => ({
          updateOne: { filter: { _id: selectWidget(index) }, update: { $set: { outbox: [] } } },
        })),
        { ordered: false },
      );
    };
    let next = 0;
    const writeUntilDone = async (writer: number) => {
      for (let at = next; at < hooks.mongo; at = next) {
        next += batchLimits.items;
        await writeBatch(at, writer);
      }
    };
    const startedMs = performance.now();
    await Promise.all(Array.from({ length: concurrentBatches }, (_, writer) => writeUntilDone(writer)));
    return hooks.mongo / ((performance.now() - startedMs) / 1_000);
  } finally {
    await db.dropDatabase();
    await client.close();
  }
}
