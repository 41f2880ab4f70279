import { randomBytes } from 'node:crypto';
import { collectionNames, createIndexes, verifyIndexes } from '@widget-service/cluster/mongo/indexes.ts';
import { MongoClient } from 'mongodb';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';

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
