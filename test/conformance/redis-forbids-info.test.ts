import { randomBytes } from 'node:crypto';
import { type ClusterOptions, openCluster } from '@widget-service/cluster/open-cluster.ts';
import { RedisDurabilityError } from '@widget-service/cluster/redis/durability-check.ts';
import { Redis } from 'ioredis';
import { MongoClient } from 'mongodb';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { type RedisProcess, startRedis } from '../faults/redis-process.ts';

/** An ACL is a property of a whole Redis server, so this one has its own. */
describe.runIf(inject('backend') === 'cluster')('a Redis whose ACL forbids INFO', () => {
  const database = `t-${randomBytes(8).toString('hex')}`;
  const mongodbUrl = process.env.MONGODB_URL ?? '';
  const warnings: string[] = [];
  let server: RedisProcess;
  let options: ClusterOptions;

  beforeAll(async () => {
    server = await startRedis();
    const operator = new Redis(server.url);
    await operator.call('ACL', 'SETUSER', 'pod', 'on', '>pass', '~*', 'allchannels', '+@all', '-info');
    operator.disconnect();
    const url = new URL(server.url);
    Object.assign(url, { username: 'pod', password: 'pass' });
    options = {
      ...{ mongodbUrl, mongodbDatabase: database, redisUrl: url.href, redisKeyPrefix: 'test' },
      ...{
        migrate: true,
        hookPartitions: 2,
        ackReplicas: 0,
        deliveryRetentionMs: 3_600_000,
      },
      retention: { count: 1_000, bytes: 1_000_000, ageMs: 3_600_000 },
      durabilityCheck: 'warn',
      onWarning: (message) => void warnings.push(message),
    };
  });
  afterAll(async () => {
    const mongo = await new MongoClient(mongodbUrl).connect();
    await mongo.db(database).dropDatabase();
    await mongo.close();
    await server?.dispose();
  });

  test('is refused at the start: nobody knows whether it keeps its data', async () => {
    const refused = openCluster({ ...options, durabilityCheck: 'enforce' });
    await expect(refused).rejects.toThrow(RedisDurabilityError);
    await expect(refused).rejects.toThrow(/INFO is forbidden \(NOPERM/);
  });

  test('is used with a warning, and the number of waiting jobs still counts for the admission limit', async () => {
    const backend = await openCluster(options);
    try {
      expect(warnings).toContainEqual(expect.stringContaining('INFO is forbidden'));
      await backend.hookQueue.enqueue({ jobId: 'job-1', partition: 0, items: [] });
      expect(await backend.hookQueue.pressure()).toMatchObject({ waitingJobs: 1, memoryUsedRatio: null });
    } finally {
      await backend.close();
    }
  });
});
