import { randomBytes, randomUUID } from 'node:crypto';
import { createIndexes, deliveryIndexes } from '@widget-service/cluster/mongo/indexes.ts';
import { MongoDeliveryLedger } from '@widget-service/cluster/mongo/mongo-delivery-ledger.ts';
import type { DeliveryState } from '@widget-service/shared/ports/delivery-ledger.ts';
import { type Db, type Document, MongoClient } from 'mongodb';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { aDelivery } from '../drivers/app/builders.ts';

const pageSize = 10;

/** The embedded ledger has a test of its query plans. */
describe.runIf(inject('backend') === 'cluster')('MongoDeliveryLedger.list over all integrations', () => {
  let client: MongoClient;
  let db: Db;
  let ledger: MongoDeliveryLedger;
  let lastFind: Document = {};
  beforeAll(async () => {
    client = await MongoClient.connect(process.env.MONGODB_URL ?? '', { monitorCommands: true });
    client.on('commandStarted', ({ commandName, command }) => {
      if (commandName === 'find') lastFind = command;
    });
    db = client.db(`t-${randomBytes(8).toString('hex')}`);
    await createIndexes(db);
    ledger = new MongoDeliveryLedger(db, 3_600_000);
    const integrationIds = [randomUUID(), randomUUID(), randomUUID()];
    const startedAtMs = Date.now();
    const deliveries = Array.from({ length: 600 }, (_, index) =>
      aDelivery({ integrationId: integrationIds[index % 3] ?? '', receivedAt: new Date(startedAtMs + index) }),
    );
    await ledger.register(deliveries);
    // The oldest: a list that read in the order of time alone would read all others first.
    const [dead, discarded, published] = [deliveries.slice(0, 20), deliveries.slice(20, 40), deliveries.slice(40)];
    for (const delivery of [...dead, ...discarded]) await ledger.markDead(delivery, 'store-refused');
    for (const { integrationId, eventId } of discarded) await ledger.discard(integrationId, eventId, new Date());
    const rows = published.map(({ eventId }) => ({ eventId, position: null, effect: null }));
    await ledger.markPublished(rows, new Date());
  });
  afterAll(async () => {
    await db.dropDatabase();
    await client.close();
  });

  test.each<[DeliveryState | null, string, number]>([
    [null, deliveryIndexes.ofAllByAge, pageSize],
    ['published', deliveryIndexes.ofAllByAge, pageSize],
    ['dead', deliveryIndexes.deadOfAllByAge, pageSize],
    ['discarded', deliveryIndexes.discardedOfAllByAge, pageSize],
    // The few rows that are not published yet, and the dead ones.
    ['received', deliveryIndexes.byExpiry, 20],
  ])('in the state %s reads its page through the index %s', async (state, index, rowsMax) => {
    const rows = await ledger.list({ integrationId: null, state }, { offset: 0, limit: pageSize });
    expect(rows).toHaveLength(state === 'received' ? 0 : pageSize);
    const { find, filter, sort, projection, limit, batchSize, hint } = lastFind;
    const { queryPlanner, executionStats } = await db.command({
      explain: { find, filter, sort, projection, limit, batchSize, hint },
      verbosity: 'executionStats',
    });
    const indexNames = [...JSON.stringify(queryPlanner).matchAll(/"indexName":"(\w+)"/g)].map(([, name]) => name);
    expect(indexNames).toContain(index);
    // Other servers that speak MongoDB's protocol return no counts.
    expect(executionStats?.totalDocsExamined ?? 0).toBeLessThanOrEqual(rowsMax);
    expect(executionStats?.totalKeysExamined ?? 0).toBeLessThanOrEqual(rowsMax + 1);
  });
});
