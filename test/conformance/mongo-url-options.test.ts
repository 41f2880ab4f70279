import { randomBytes } from 'node:crypto';
import { openMongoStores } from '@widget-service/cluster/mongo/open-mongo-stores.ts';
import { describe, expect, inject, test } from 'vitest';
import { mongodbUrlOf } from '../drivers/cluster/servers.ts';

describe.runIf(inject('backend') === 'cluster')('options of MONGODB_URL', () => {
  /** Opens the stores as a start does that also builds the indexes. Returns its warnings. */
  const open = async (options: Readonly<Record<string, string>>) => {
    const url = new URL(mongodbUrlOf(`t-${randomBytes(8).toString('hex')}`));
    for (const [name, value] of Object.entries(options)) url.searchParams.set(name, value);
    const warnings: string[] = [];
    const stores = await openMongoStores({
      ...{ MONGODB_URL: url.href, migrate: true, DELIVERY_RETENTION_MS: 3_600_000 },
      onWarning: (message) => void warnings.push(message),
    });
    await stores.db.dropDatabase();
    await stores.close();
    return warnings;
  };

  test('that have no effect are named once at a start', async () => {
    expect(await open({ w: '1', readPreference: 'secondary' })).toEqual([
      'MONGODB_URL: the service sets these options itself, and ignores yours: readPreference, w',
    ]);
  });

  test('as MongoDB Atlas offers them to be copied give no warning', async () => {
    expect(await open({ retryWrites: 'true', w: 'majority', appName: 'Cluster0' })).toEqual([]);
  });
});
