import { randomBytes, randomUUID } from 'node:crypto';
import { ensureServiceKey } from '@widget-service/api/audit/hash-text.ts';
import { collectionNames } from '@widget-service/cluster/mongo/indexes.ts';
import { listPartitionCount } from '@widget-service/cluster/mongo/mongo-partition-counts.ts';
import { type MongoStores, openMongoStores } from '@widget-service/cluster/mongo/open-mongo-stores.ts';
import { noFilter } from '@widget-service/shared/domain/event-filter.ts';
import { entities } from '@widget-service/shared/entities/entities.ts';
import { type Document, MongoClient } from 'mongodb';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import {
  aCreation,
  aDelivery,
  aGrant,
  anAuditEvent,
  anEntry,
  anIdempotencyRecord,
  aQuarantinedText,
  aRefusal,
  aSample,
  aUser,
  aWidget,
  awkwardSource,
  plainIntegration,
  someTime,
} from '../drivers/app/builders.ts';
import { mongodbUrlOf } from '../drivers/cluster/servers.ts';

const everyCollection = [...Object.values(collectionNames), ...Object.values(entities).map(({ name }) => name)];
/** As a newer version might add one to any document. */
const addedMember = { addedLater: { by: 'a newer version' } };
const soon = new Date(Date.now() + 3_600_000);

const widget = aWidget();
const creation = aCreation(widget, anIdempotencyRecord());
const delivery = aDelivery({ widgetId: widget.id });
const dead = aDelivery();
const quarantined = aQuarantinedText();
const users = [aUser({ role: 'admin' }), aUser({ role: 'admin' })] as const;
const from = { device: 'curl/8.5.0', address: '192.0.2.7' };
const times = { createdAt: someTime, lastSeenAt: someTime, expiresAt: soon };
const session = { id: randomUUID(), digest: 'd'.repeat(64), userId: users[0].id, ...from, ...times };
const subscription = { ...aGrant(), filter: noFilter };
const integration = { ...aGrant(), ...plainIntegration, source: awkwardSource };
const provisionToken = { ...aGrant(), permissions: ['widgets:create'] as const };
const auditEvent = anAuditEvent();
const position = { epoch: 'a1', epochRun: 1, ms: 7, seq: 1 };

/** Simulated and embedded stores have columns: an older version does not open a SQLite file with further ones. */
describe.runIf(inject('backend') === 'cluster')('documents of MongoDB with a member that a newer version added', () => {
  let stores: MongoStores;
  let client: MongoClient;
  beforeAll(async () => {
    const url = mongodbUrlOf(`t-${randomBytes(8).toString('hex')}`);
    client = await MongoClient.connect(url);
    const settings = { MONGODB_URL: url, DELIVERY_RETENTION_MS: 1e9 };
    stores = await openMongoStores({ ...settings, startTimeoutMs: 5_000, migrate: true });
    const { ports, db } = stores;
    await ports.widgets.insertOnce(creation);
    await ports.ledger.register([delivery]);
    await ports.ledger.markDead(dead, 'store-refused');
    await ports.quarantine.insert(quarantined);
    await stores.runs.startRun();
    await stores.runs.recordPosition(position, null);
    for (const user of users) await ports.users.insert(user);
    await ports.sessions.insert(session);
    await ports.subscriptions.insert(subscription);
    await ports.integrations.insert(integration);
    await ports.provisionTokens.insert(provisionToken);
    await ports.auditEvents.insert(auditEvent);
    await ports.refusals.insert(aRefusal());
    await ports.samples.insert(aSample());
    await ensureServiceKey(ports.serviceKeys, 'a key', 'a secret');
    await listPartitionCount(db, 2);
    for (const name of everyCollection) {
      await client.db().collection(name).updateMany({}, { $set: addedMember });
    }
    const inside = { 'outbox.0.addedLater': 1, 'outbox.0.after.addedLater': 1, 'idem.addedLater': 1 };
    await client.db().collection('widgets').updateMany({}, { $set: inside });
    // A version between wrote the source: without a default of today, and with members of later.
    const kind = { ...awkwardSource.mapping.kind, otherwise: undefined, addedLater: 1 };
    const source = JSON.stringify({ ...awkwardSource, mapping: { ...awkwardSource.mapping, kind, addedLater: 2 } });
    await client.db().collection('integrations').updateMany({}, { $set: { source } });
  });
  afterAll(async () => {
    await stores.db.dropDatabase();
    await stores.close();
    await client.close();
  });

  const countByCollection = async (filter: Document) => {
    const names = everyCollection;
    const counts = names.map((name) => client.db().collection(name).countDocuments(filter));
    return Object.fromEntries((await Promise.all(counts)).map((count, index) => [names[index], count]));
  };

  test('are in every collection of this test', async () => {
    const counts = await countByCollection({ addedLater: { $exists: true } });
    expect(Object.entries(counts).filter(([, count]) => count === 0)).toEqual([]);
  });

  test('are read without that member', async () => {
    const { ports } = stores;
    expect(await ports.widgets.get(widget.id)).toEqual(widget);
    const repeated = aCreation(aWidget(), creation.idempotency);
    expect(await ports.widgets.insertOnce(repeated)).toMatchObject({ status: 'replayed', widgetId: widget.id });
    expect(await ports.ledger.get(delivery.eventId)).toMatchObject({ state: 'received', payload: delivery.payload });
    expect(await ports.ledger.get(delivery.eventId)).not.toHaveProperty('addedLater');
    expect(await ports.quarantine.get(quarantined.id)).toEqual(quarantined);
    expect(await ports.users.get(users[0].id)).toEqual(users[0]);
    expect(await ports.sessions.get(session.digest)).toEqual(session);
    expect(await ports.subscriptions.get(subscription.id)).toEqual(subscription);
    expect(await ports.integrations.get(integration.id)).toEqual(integration);
    expect(await ports.provisionTokens.get(provisionToken.id)).toEqual(provisionToken);
    expect(await stores.runs.lastPosition()).toEqual(position);
    expect(await ports.auditEvents.get(auditEvent.id)).toEqual(auditEvent);
    expect(await ensureServiceKey(ports.serviceKeys, 'a key', 'another')).toBe('a secret');
  });

  test('keep that member when they are changed', async () => {
    const before = await countByCollection({ addedLater: { $exists: true } });
    const { ports, db } = stores;
    await stores.runs.startRun();
    expect(await ports.effects.load([widget.id])).toEqual([{ widget, outbox: [creation.created] }]);
    const entry = anEntry(widget, 2);
    const change = { widgetId: widget.id, fromVersion: 1, after: entry.after, entries: [entry] };
    expect(await ports.effects.apply([change])).toEqual({ superseded: false, unstorable: [] });
    await ports.outboxes.removePublished([{ widgetId: widget.id, version: 1 }]);
    expect(await ports.ledger.register([delivery, dead])).toMatchObject({ duplicates: [dead.eventId] });
    await ports.ledger.markPublished([{ eventId: delivery.eventId, position: null, effect: null }], someTime);
    await stores.runs.recordPosition({ ...position, seq: 2 }, position);
    expect(await ports.users.change(users[1].id, () => ({ role: 'viewer' }))).toMatchObject({ role: 'viewer' });
    await ports.users.change(users[0].id, () => ({ lastSignInAt: soon }));
    await ports.sessions.change(session.digest, () => ({ lastSeenAt: soon }));
    for (const grants of [ports.subscriptions, ports.integrations, ports.provisionTokens]) {
      const [newest] = await grants.list({}, { offset: 0, limit: 1 });
      const id = newest?.id ?? '';
      expect(await grants.change(id, () => ({ name: 'renamed', lastUsedAt: soon }))).toMatchObject({ name: 'renamed' });
    }
    await ensureServiceKey(ports.serviceKeys, 'a key', 'another');
    await listPartitionCount(db, 3);
    const after = await countByCollection({ addedLater: { $exists: true } });
    expect(after).toEqual(before);
  });
});
