import { randomBytes, randomUUID } from 'node:crypto';
import { BullmqHookQueue } from '@widget-service/cluster/bullmq/bullmq-hook-queue.ts';
import { coalesceWaitingJobs } from '@widget-service/cluster/bullmq/coalesced-jobs.ts';
import { PartitionCounts } from '@widget-service/cluster/bullmq/partition-counts.ts';
import { defaultWorkerTiming } from '@widget-service/cluster/bullmq/queue-options.ts';
import { queueName, redisKeys } from '@widget-service/cluster/redis/keys.ts';
import { serializeHookJob } from '@widget-service/shared/adapters/hook-job-codec.ts';
import type { QueueItem } from '@widget-service/shared/domain/queue-item.ts';
import { createUuidV7 } from '@widget-service/shared/domain/uuid.ts';
import { Redis } from 'ioredis';
import { beforeEach, describe, expect, inject, it } from 'vitest';

const nudges = (count: number) =>
  Array.from({ length: count }, (): QueueItem => ({ type: 'nudge', widgetId: createUuidV7() }));

/** How long a reply is, about. */
const lengthOf = (reply: unknown): number =>
  Array.isArray(reply) ? reply.reduce<number>((sum, part) => sum + lengthOf(part), 0) : String(reply).length;

describe.runIf(inject('backend') === 'cluster')('the jobs that are taken along', () => {
  let redis: Redis;
  let hookQueue: BullmqHookQueue;
  let queue: Parameters<typeof coalesceWaitingJobs>[1];
  /** What Redis has been asked for, and how much it answered with. */
  let asked = { commands: 0, bytes: 0 };
  beforeEach(async () => {
    redis = new Redis(process.env.REDIS_URL ?? '', { protocol: 2 });
    await redis.ping();
    const send = redis.sendCommand.bind(redis);
    redis.sendCommand = (command, stream) => {
      asked.commands += 1;
      void command.promise.then((reply: unknown) => {
        asked.bytes += lengthOf(reply);
      });
      return send(command, stream);
    };
    const keys = redisKeys(`t-${randomBytes(8).toString('hex')}`);
    hookQueue = new BullmqHookQueue({
      redis,
      keys,
      partitions: new PartitionCounts({ ensureListed: async () => [1], read: async () => [1] }, [1]),
      ackReplicas: 0,
      connectWorkers: () => {
        throw new Error('nothing is consumed here');
      },
      timing: defaultWorkerTiming,
      onWarning: () => undefined,
    });
    const toKey = (name: string) => [keys.queuePrefix, queueName(1, 0), name].join(':');
    queue = { keys: { wait: toKey('wait') }, toKey };
    return async () => {
      await hookQueue.close();
      await redis.unlink(await redis.keys(toKey('*')));
      redis.disconnect();
    };
  });

  /** Stores jobs of so many items each; returns the items. */
  async function enqueue(sizes: readonly number[]): Promise<QueueItem[][]> {
    const jobs = sizes.map(nudges);
    for (const items of jobs) await hookQueue.enqueue({ jobId: `job-${randomUUID()}`, partition: 0, items });
    asked = { commands: 0, bytes: 0 };
    return jobs;
  }
  const storedLength = (items: readonly QueueItem[]) => JSON.stringify(serializeHookJob(items)).length;
  const sizeOf = (jobs: readonly QueueItem[][]) => jobs.reduce((sum, job) => sum + storedLength(job), 0);

  it('are not even looked for by a full job', async () => {
    await enqueue([1, 1]);
    const full = nudges(256);
    expect(await coalesceWaitingJobs(redis, queue, full, serializeHookJob(full).length)).toEqual({
      jobIds: [],
      items: [],
    });
    expect(await coalesceWaitingJobs(redis, queue, nudges(3), 512 * 1024)).toEqual({ jobIds: [], items: [] });
    expect(asked.commands).toBe(0);
  });

  it('are read once, and few of those that do not fit', async () => {
    const jobs = await enqueue([100, 100, ...Array.from({ length: 62 }, () => 256)]);
    const { items, jobIds } = await coalesceWaitingJobs(redis, queue, nudges(10), 1_000);
    expect(items).toEqual(jobs.slice(0, 2).flat());
    expect(jobIds).toHaveLength(2);
    expect(asked.bytes).toBeLessThan(sizeOf(jobs) / 5);
  });

  it('are read once where all fit', async () => {
    const jobs = await enqueue(Array.from({ length: 70 }, () => 3));
    const { items } = await coalesceWaitingJobs(redis, queue, nudges(3), 300);
    expect(items).toEqual(jobs.slice(0, 64).flat());
    expect(asked.bytes).toBeLessThan(sizeOf(jobs.slice(0, 64)) * 1.5);
  });

  it('are told without those that were removed while they were looked for', async () => {
    const jobs = await enqueue([1, 1, 1]);
    const { jobIds } = await coalesceWaitingJobs(redis, queue, nudges(1), 100);
    await redis.del(queue.toKey(jobIds[1] ?? ''));
    const { items } = await coalesceWaitingJobs(redis, queue, nudges(1), 100);
    expect(items).toEqual([jobs[0], jobs[2]].flat());
  });
});
