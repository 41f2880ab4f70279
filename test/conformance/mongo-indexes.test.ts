import { randomBytes } from 'node:crypto';
import { collectionNames, createIndexes, verifyIndexes } from '@widget-service/cluster/mongo/indexes.ts';
import { MongoCollection } from '@widget-service/cluster/mongo/mongo-collection.ts';
import { auditEventEntity } from '@widget-service/shared/entities/audit-event.ts';
import { refusalEntity, sampleEntity } from '@widget-service/shared/entities/refused-request.ts';
import { sessionEntity } from '@widget-service/shared/entities/session.ts';
import { type Db, MongoClient } from 'mongodb';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { anAuditEvent } from '../drivers/app/builders.ts';
import { eventually } from '../drivers/tools/eventually.ts';
import { isLong } from '../faults/scale.ts';

/** MongoDB looks for expired documents once a minute. */
const removalMs = 150_000;

/** The embedded service removes expired entities itself: `open-embedded.test.ts`. */
describe.runIf(inject('backend') === 'cluster')('The entities of MongoDB: expiry', () => {
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

  test.each([auditEventEntity, refusalEntity, sampleEntity, sessionEntity].map(({ name }) => name))(
    '%s has an index by which MongoDB removes one at that time, and verifyIndexes misses it',
    async (name) => {
      const collection = db.collection(name);
      const index = (await collection.indexes()).find(({ key }) => 'expiresAt' in key);
      expect(index).toMatchObject({ key: { expiresAt: 1 }, expireAfterSeconds: 0 });
      await collection.dropIndex(index?.name ?? '');
      expect(await verifyIndexes(db)).toEqual([`${name}.${index?.name}`]);
      await collection.createIndex({ expiresAt: 1 }, { name: index?.name ?? '', expireAfterSeconds: 60 });
      expect(await verifyIndexes(db)).toEqual([`${name}.${index?.name}`]);
      await collection.dropIndex(index?.name ?? '');
      await createIndexes(db);
      expect(await verifyIndexes(db)).toEqual([]);
    },
  );

  // Only in the long form: it waits for the server's next look.
  test.runIf(isLong)('lets MongoDB remove an event when it expires', { timeout: 2 * removalMs }, async () => {
    const collection = new MongoCollection(db, auditEventEntity);
    const kept = anAuditEvent({ expiresAt: new Date(Date.now() + 600_000) });
    const expired = anAuditEvent({ expiresAt: new Date(Date.now() - 1) });
    for (const event of [kept, expired]) await collection.insert(event);
    await eventually(async () => (await collection.get(expired.id)) === null, 'MongoDB removes it', removalMs);
    expect(await collection.get(kept.id)).toEqual(kept);
  });
});

describe.runIf(inject('backend') === 'cluster')('verifyIndexes', () => {
  let client: MongoClient;
  const openDatabase = () => client.db(`t-${randomBytes(8).toString('hex')}`);
  beforeAll(async () => {
    client = await MongoClient.connect(process.env.MONGODB_URL ?? '');
  });
  afterAll(() => client.close());

  test('finds nothing missing after createIndexes', async () => {
    const db = openDatabase();
    await createIndexes(db);
    expect(await verifyIndexes(db)).toEqual([]);
    await db.dropDatabase();
  });

  test.each([
    ['is missing', null],
    ['has all documents instead of those with the field', {}],
    ['is unique', { sparse: true, unique: true }],
  ])('names an index that %s', async (_, options) => {
    const db = openDatabase();
    await createIndexes(db);
    const widgets = db.collection(collectionNames.widgets);
    await widgets.dropIndex('unpublished');
    if (options !== null) await widgets.createIndex({ outboxSince: 1 }, { ...options, name: 'unpublished' });
    expect(await verifyIndexes(db)).toEqual(['widgets.unpublished']);
    await db.dropDatabase();
  });
});
