import { randomBytes, randomUUID } from 'node:crypto';
import { BullmqHookQueue } from '@widget-service/cluster/bullmq/bullmq-hook-queue.ts';
import { PartitionCounts } from '@widget-service/cluster/bullmq/partition-counts.ts';
import { defaultWorkerTiming } from '@widget-service/cluster/bullmq/queue-options.ts';
import { redisKeys } from '@widget-service/cluster/redis/keys.ts';
import { Redis } from 'ioredis';
import { describe, expect, inject, onTestFinished, test } from 'vitest';
import { findQueueRedis } from '../drivers/cluster/test-redis.ts';

function openQueue(redis: Redis, prefix: string, counts: readonly number[]): BullmqHookQueue {
  const hookQueue = new BullmqHookQueue({
    redis,
    keys: redisKeys(prefix),
    partitions: new PartitionCounts({ ensureListed: async () => [...counts], read: async () => [...counts] }, counts),
    ackReplicas: 0,
    connectWorkers: () => {
      throw new Error('This test consumes nothing.');
    },
    timing: defaultWorkerTiming,
    onNotice: () => undefined,
    onWarning: () => undefined,
  });
  onTestFinished(() => hookQueue.close());
  return hookQueue;
}

describe.runIf(inject('backend') === 'cluster')('BullmqHookQueue.pressure', () => {
  test('also counts the jobs in the queues of earlier partition counts', async () => {
    const redis = new Redis(findQueueRedis().operatorUrl, { protocol: 2 });
    const prefix = `t-${randomBytes(8).toString('hex')}`;
    onTestFinished(async () => {
      await redis.unlink(await redis.keys(`*${prefix}*`));
      redis.disconnect();
    });
    const enqueue = (queue: BullmqHookQueue, partition: number) =>
      queue.enqueue({ jobId: `job-${randomUUID()}`, partition, items: [{ type: 'nudge', widgetId: randomUUID() }] });
    const before = openQueue(redis, prefix, [2]);
    await Promise.all([enqueue(before, 0), enqueue(before, 1)]);
    const after = openQueue(redis, prefix, [2, 3]);
    await enqueue(after, 2);
    expect(await after.pressure()).toMatchObject({ waitingJobs: 3 });
  });
});
