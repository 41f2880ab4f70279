import { randomBytes } from 'node:crypto';
import { collectionNames, createIndexes, verifyIndexes } from '@widget-service/cluster/mongo/indexes.ts';
import { createMongoAuditEventStore } from '@widget-service/cluster/mongo/mongo-audit-event-store.ts';
import { type Db, MongoClient, UUID } from 'mongodb';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { anAuditEvent } from '../drivers/app/builders.ts';
import { eventually } from '../drivers/tools/eventually.ts';
import { isLong } from '../faults/scale.ts';

const hourMs = 3_600_000;
/** MongoDB looks for expired documents once a minute. */
const removalMs = 150_000;

/** `audit-event-store.test.ts` has the same for the embedded service, which removes expired events itself. */
describe.runIf(inject('backend') === 'cluster')('The audit events of MongoDB: expiry', () => {
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
  const events = () => db.collection(collectionNames.auditEvents);

  test('stores when an event expires: its retention after it occurred, whatever the retention is later', async () => {
    const [first, second] = [anAuditEvent(), anAuditEvent()];
    await createMongoAuditEventStore(db, hourMs).append([first]);
    await createMongoAuditEventStore(db, 2 * hourMs).append([first, second]);
    const readExpiry = async (id: string) =>
      (await events().findOne({ _id: new UUID(id) as never }))?.expiresAt as Date;
    expect(await readExpiry(first.id)).toEqual(new Date(first.occurredAt.getTime() + hourMs));
    expect(await readExpiry(second.id)).toEqual(new Date(second.occurredAt.getTime() + 2 * hourMs));
  });

  test('has an index by which MongoDB removes an event at that time, and verifyIndexes misses it', async () => {
    const index = (await events().indexes()).find(({ key }) => 'expiresAt' in key);
    expect(index).toMatchObject({ key: { expiresAt: 1 }, expireAfterSeconds: 0 });
    await events().dropIndex(index?.name ?? '');
    expect(await verifyIndexes(db)).toEqual([`auditEvents.${index?.name}`]);
    await events().createIndex({ expiresAt: 1 }, { name: index?.name ?? '', expireAfterSeconds: 60 });
    expect(await verifyIndexes(db)).toEqual([`auditEvents.${index?.name}`]);
    await events().dropIndex(index?.name ?? '');
    await createIndexes(db);
    expect(await verifyIndexes(db)).toEqual([]);
  });

  // Only in the long form: it waits for the server's next look.
  test.runIf(isLong)(
    'lets MongoDB remove an event after its retention, and not before',
    { timeout: 2 * removalMs },
    async () => {
      const nowMs = Date.now();
      const kept = anAuditEvent({ occurredAt: new Date(nowMs - hourMs + 600_000) });
      const expired = anAuditEvent({ occurredAt: new Date(nowMs - hourMs - 1) });
      await createMongoAuditEventStore(db, hourMs).append([kept, expired]);
      const count = (id: string) => events().countDocuments({ _id: new UUID(id) as never });
      await eventually(async () => (await count(expired.id)) === 0, 'MongoDB removes the expired event', removalMs);
      expect(await count(kept.id)).toBe(1);
    },
  );
});
