import { randomBytes } from 'node:crypto';
import { type ClusterOptions, openCluster } from '@widget-service/cluster/open-cluster.ts';
import type { Backend } from '@widget-service/shared/ports/backend.ts';
import { MongoClient } from 'mongodb';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { expectTailOfReplica } from '../drivers/cluster/use-cluster-backend.ts';
import { eventually } from '../drivers/tools/eventually.ts';
import { type RedisProcess, startRedis } from '../faults/redis-process.ts';
import { type RedisSentinels, sentinelName, startSentinels } from '../faults/redis-sentinels.ts';

describe.runIf(inject('backend') === 'cluster')(
  'a Redis behind Sentinels',
  () => {
    const mongodbUrl = process.env.MONGODB_URL ?? '';
    const database = `t-${randomBytes(8).toString('hex')}`;
    let primary: RedisProcess;
    let replica: RedisProcess;
    let sentinels: RedisSentinels;
    let options: ClusterOptions;
    let backend: Backend;
    let consumed = 0;
    let stopConsuming: () => Promise<void>;

    beforeAll(async () => {
      [primary, replica] = await Promise.all([startRedis(), startRedis()]);
      await replica.replicate(primary.port);
      sentinels = await startSentinels(primary.port);
      options = {
        ...{ mongodbUrl, mongodbDatabase: database, redisKeyPrefix: 'test', migrate: true, durabilityCheck: 'enforce' },
        // Nothing listens there: only the Sentinels know where Redis is.
        redisUrl: 'redis://127.0.0.1:1/',
        sentinels: {
          addresses: sentinels.addresses,
          ...{ queueName: sentinelName, eventsName: null, username: null, password: null, hasTls: false },
        },
        ...{ hookPartitions: 2, ackReplicas: 0, deliveryRetentionMs: 3_600_000, auditRetentionMs: 3_600_000 },
        retention: { count: 1_000, bytes: 1_000_000, ageMs: 3_600_000 },
      };
      backend = await openCluster(options);
      const handle = async () => {
        consumed += 1;
        return 'done' as const;
      };
      const consumer = await backend.hookQueue.consume(handle, { coalesce: false });
      stopConsuming = () => consumer.close();
    }, 60_000);
    afterAll(async () => {
      await stopConsuming?.();
      await backend?.close();
      await sentinels?.dispose();
      await Promise.all([primary?.dispose(), replica?.dispose()]);
      const mongo = await new MongoClient(mongodbUrl).connect();
      await mongo.db(database).dropDatabase();
      await mongo.close();
    });

    /** Enqueues a job as soon as the queue accepts it, and waits until it is consumed. */
    const useQueue = async (jobId: string) => {
      const before = consumed;
      const isEnqueued = () =>
        backend.hookQueue.enqueue({ jobId, partition: 0, items: [] }).then(
          () => true,
          () => false,
        );
      await eventually(isEnqueued, `${jobId} is enqueued`, 30_000);
      await eventually(async () => consumed > before, `${jobId} is consumed`, 30_000);
    };

    test('every kind of connection finds the primary by the Sentinels', async () => {
      await useQueue('before');
      expect(await sentinels.readPrimaryPort()).toBe(primary.port);
    });

    test('after a planned failover, jobs go to the new primary and are consumed from it', async () => {
      await sentinels.failOver();
      expect(await sentinels.readPrimaryPort()).toBe(replica.port);
      await useQueue('after the planned failover');
    });

    test('after the primary is killed, the other one takes over', async () => {
      // The former primary must be a replica in sync first: then the Sentinels choose it.
      await eventually(() => primary.isInSync(), 'the former primary is a replica in sync', 40_000);
      await replica.kill();
      await eventually(async () => (await sentinels.readPrimaryPort()) === primary.port, 'a failover', 40_000);
      await useQueue('after the crash');
    });

    test('serves tails from a replica, and from the primary once the replica is gone', async () => {
      await replica.start();
      await eventually(() => replica.isInSync(), 'the replica is in sync', 40_000);
      await expectTailOfReplica(options, { primary, replica });
    });
  },
  120_000,
);
