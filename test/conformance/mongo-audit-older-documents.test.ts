import { randomBytes } from 'node:crypto';
import { collectionNames, createIndexes } from '@widget-service/cluster/mongo/indexes.ts';
import { createMongoAuditEventStore } from '@widget-service/cluster/mongo/mongo-audit-event-store.ts';
import { type Db, MongoClient } from 'mongodb';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { anAuditEvent } from '../drivers/app/builders.ts';

/** The test of the codec has the same for the embedded service. */
describe.runIf(inject('backend') === 'cluster')('The audit events of MongoDB: documents of earlier versions', () => {
  let client: MongoClient;
  let db: Db;
  beforeAll(async () => {
    client = await MongoClient.connect(process.env.MONGODB_URL ?? '');
    db = client.db(`t-${randomBytes(8).toString('hex')}`);
    await createIndexes(db);
  });
  afterAll(async () => {
    await db.dropDatabase();
    await client.close();
  });

  test('returns null for the names of an event that a version without names has stored', async () => {
    const store = createMongoAuditEventStore(db, 3_600_000);
    const event = anAuditEvent();
    await store.append([event]);
    await db.collection(collectionNames.auditEvents).updateMany({}, { $unset: { actorName: 1, targetName: 1 } });
    const all = { actorId: null, action: null, targetId: null, from: null, to: null };
    expect(await store.list(all, { offset: 0, limit: 2 })).toEqual([{ ...event, actorName: null, targetName: null }]);
  });
});
