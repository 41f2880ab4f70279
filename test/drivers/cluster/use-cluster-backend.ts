import { randomBytes } from 'node:crypto';
import { BullmqHookQueue, type BullmqHookQueueOptions } from '@widget-service/cluster/bullmq/bullmq-hook-queue.ts';
import { PartitionCounts } from '@widget-service/cluster/bullmq/partition-counts.ts';
import { defaultWorkerTiming } from '@widget-service/cluster/bullmq/queue-options.ts';
import { type ClusterOptions, openCluster } from '@widget-service/cluster/open-cluster.ts';
import { redisKeys } from '@widget-service/cluster/redis/keys.ts';
import { parseSettings } from '@widget-service/shared/config/parse-settings.ts';
import type { LogPosition } from '@widget-service/shared/domain/log-position.ts';
import type { Backend } from '@widget-service/shared/ports/backend.ts';
import type { Redis } from 'ioredis';
import { MongoClient } from 'mongodb';
import { expect } from 'vitest';
import type { RedisProcess } from '../../faults/redis-process.ts';
import { anEventAppend } from '../app/builders.ts';
import { eventually } from '../tools/eventually.ts';
import { mongodbUrlOf } from './servers.ts';

/**
 * Returns the options of a cluster with these variables, as a start reads them, with one partition, a small log, and a
 * MongoDB database of its own, which the caller removes by `dropDatabaseOf`.
 */
export function aCluster(environment: Readonly<Record<string, string>>): ClusterOptions {
  const given = {
    MONGODB_URL: mongodbUrlOf(`t-${randomBytes(8).toString('hex')}`),
    // Nothing listens there, for tests whose Redis only nodes know.
    REDIS_URL: 'redis://127.0.0.1:1/',
    ...{ HOOK_PARTITIONS: '1', HOOK_ACK_REPLICAS: '0', DELIVERY_RETENTION_MS: '3600000' },
    ...environment,
  };
  const { settings } = parseSettings(given, { app: 'worker' });
  return { ...settings, migrate: true, retention: { count: 1_000, bytes: 1_000_000, ageMs: 3_600_000 } };
}

export async function dropDatabaseOf({ MONGODB_URL }: ClusterOptions): Promise<void> {
  const mongo = await new MongoClient(MONGODB_URL ?? '').connect();
  await mongo.db().dropDatabase();
  await mongo.close();
}

/** A queue of BullMQ that only takes jobs. */
export function openProducer(
  redis: Redis,
  keyPrefix: string,
  { counts = [1], ...options }: Partial<BullmqHookQueueOptions> & { readonly counts?: readonly number[] } = {},
): BullmqHookQueue {
  return new BullmqHookQueue({
    ...{ redis, keys: redisKeys(keyPrefix), ackReplicas: 0, timing: defaultWorkerTiming },
    partitions: new PartitionCounts(counts, async () => counts),
    connectWorkers: () => {
      throw new Error('a producer consumes nothing');
    },
    onNotice: () => undefined,
    onWarning: () => undefined,
    ...options,
  });
}

/** The name of the connections of tails. */
const tailName = 'widget-service:tail';

/**
 * Uses every kind of connection of a backend: enqueues and consumes a job, and appends an event and reads it with a
 * tail. `whileTailing` is called while the tail is open.
 */
export async function useEverything(options: ClusterOptions, whileTailing?: () => Promise<void>): Promise<void> {
  const backend = await openCluster(options);
  try {
    let consumed = 0;
    const consumer = await backend.hookQueue.consume(async () => {
      consumed += 1;
      return 'done';
    });
    await backend.hookQueue.enqueue({ jobId: 'job-1', partition: 0, items: [] });
    await eventually(async () => consumed === 1, 'the job is consumed');
    await useLog(backend, whileTailing);
    await consumer.close();
  } finally {
    await backend.close();
  }
}

async function useLog({ runs, eventLog }: Backend, whileTailing?: () => Promise<void>): Promise<void> {
  const { run } = await runs.startRun();
  const added = anEventAppend();
  const { last } = await eventLog.append(run, null, [added]);
  const tail = eventLog.openTail();
  // A replica may not have it at once.
  const isRead = async () => {
    const [record] = await tail.next({ ...last, seq: last.seq - 1 }, 1);
    if (record !== undefined) expect(record.event).toEqual(added.event);
    return record !== undefined;
  };
  await eventually(isRead, 'the event is read');
  await whileTailing?.();
  await tail.close();
}

/** Whether one tail reads from this Redis. */
export async function expectOneTail(redis: RedisProcess): Promise<void> {
  expect(await redis.countConnections(tailName)).toBe(1);
}

/** Expects that a tail reads from the replica, and from the primary once the replica is killed. */
export async function expectTailOfReplica(
  options: ClusterOptions,
  { primary, replica }: { readonly primary: RedisProcess; readonly replica: RedisProcess },
): Promise<void> {
  const backend = await openCluster({ ...options, EVENTS_READ_REDIS: 'replicas' });
  try {
    const { run } = await backend.runs.startRun();
    const append = async () => (await backend.eventLog.append(run, null, [anEventAppend()])).last;
    let position: LogPosition = await append();
    const tail = backend.eventLog.openTail();
    const readNext = async () => {
      await append();
      const isRead = async () => {
        const [record] = await tail.next(position, 1);
        position = record ?? position;
        return record !== undefined;
      };
      await eventually(isRead, 'the next event is read', 20_000);
    };
    await readNext();
    await expectOneTail(replica);
    await replica.kill();
    await readNext();
    await expectOneTail(primary);
  } finally {
    await backend.close();
  }
}
