import { randomBytes } from 'node:crypto';
import { beginNewEpoch } from '@widget-service/cluster/begin-new-epoch.ts';
import { type ClusterOptions, openCluster } from '@widget-service/cluster/open-cluster.ts';
import { findRedisKeys } from '@widget-service/cluster/redis/keys.ts';
import type { Backend } from '@widget-service/shared/ports/backend.ts';
import { Redis } from 'ioredis';
import { MongoClient } from 'mongodb';
import { afterEach, beforeEach, describe, expect, inject, test } from 'vitest';
import { anEventAppend } from '../drivers/app/builders.ts';
import { mongodbUrlOf } from '../drivers/cluster/servers.ts';
import { findQueueRedis } from '../drivers/cluster/test-redis.ts';
import { aCluster } from '../drivers/cluster/use-cluster-backend.ts';

describe.runIf(inject('backend') === 'cluster')('Backend.findMismatch', () => {
  let redisUrl: string;
  let options: ClusterOptions;
  let backend: Backend;
  let mongo: MongoClient;

  beforeEach(async () => {
    redisUrl = findQueueRedis().operatorUrl;
    const name = `t-${randomBytes(8).toString('hex')}`;
    options = aCluster({ REDIS_URL: redisUrl, MONGODB_URL: mongodbUrlOf(name), REDIS_DURABILITY_CHECK: 'warn' });
    backend = await openCluster(options);
    mongo = await new MongoClient(options.MONGODB_URL ?? '').connect();
  });
  afterEach(async () => {
    await backend.close();
    const redis = new Redis(redisUrl);
    await redis.unlink(await redis.keys(`*${mongo.db().databaseName}*`));
    redis.disconnect();
    await mongo.db().dropDatabase();
    await mongo.close();
  });

  async function append(count: number): Promise<void> {
    for (let n = 0; n < count; n += 1) {
      const { run, lastPosition } = await backend.runs.startRun();
      const { last } = await backend.eventLog.append(run, lastPosition, [anEventAppend()]);
      await backend.runs.recordPosition(last, lastPosition);
    }
  }
  // Empties MongoDB for the check. FerretDB may refuse the first write after `dropDatabase`.
  const runs = () => mongo.db().collection<{ _id: string }>('runs');
  const mismatch = expect.stringMatching(/MongoDB is older than the event log.*npm run new-epoch/);

  test('finds none in an empty deployment, and none while runs append', async () => {
    expect(await backend.findMismatch()).toBeNull();
    const appended = append(50);
    for (let isDone = false; !isDone; ) {
      isDone = await Promise.race([appended.then(() => true), backend.findMismatch().then(() => false)]);
      expect(await backend.findMismatch()).toBeNull();
    }
  });

  test('finds a MongoDB that was restored from a backup, also after it has given more numbers than the log knows', async () => {
    await append(3);
    const backup = await runs().findOne();
    await append(3);
    await runs().replaceOne({}, backup ?? {});
    expect(await backend.findMismatch()).toEqual(mismatch);
    await runs().updateOne({}, { $inc: { run: 1_000 } });
    expect(await backend.findMismatch()).toEqual(mismatch);
    // Nor does a process append that has not looked yet.
    await expect(backend.runs.startRun()).rejects.toEqual(expect.objectContaining({ internalMessage: mismatch }));
    // Another process finds it as well.
    const other = await openCluster(options);
    expect(await other.findMismatch()).toEqual(mismatch);
    await other.close();
  });

  test('gives no number that the log knows already, and finds the older MongoDB from then on', async () => {
    await append(3);
    const backup = await runs().findOne();
    await append(1);
    await runs().replaceOne({}, backup ?? {});
    const refused = expect.objectContaining({ internalMessage: mismatch });
    await expect(backend.runs.startRun()).rejects.toEqual(refused);
    await expect(backend.runs.startRun()).rejects.toEqual(refused);
    expect(await backend.findMismatch()).toEqual(mismatch);
  });

  test('finds a MongoDB that was emptied', async () => {
    await append(1);
    await runs().deleteMany();
    expect(await backend.findMismatch()).toEqual(mismatch);
    expect(await backend.findMismatch()).toEqual(mismatch);
  });

  test('finds none when Redis has come back empty', async () => {
    await append(3);
    const redis = new Redis(redisUrl);
    const { log, logMeta } = findRedisKeys(options);
    await redis.del(log, logMeta);
    redis.disconnect();
    expect(await backend.findMismatch()).toBeNull();
    await append(1);
    expect(await backend.findMismatch()).toBeNull();
  });

  test('finds none after `new-epoch`', async () => {
    await append(3);
    await runs().deleteMany();
    expect(await backend.findMismatch()).toEqual(mismatch);
    await beginNewEpoch(options, options.retention);
    expect(await backend.findMismatch()).toBeNull();
    await append(1);
    expect(await backend.findMismatch()).toBeNull();
  });
});
