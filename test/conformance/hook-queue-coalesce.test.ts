import { randomBytes, randomUUID } from 'node:crypto';
import type { BullmqHookQueue } from '@widget-service/cluster/bullmq/bullmq-hook-queue.ts';
import { coalesceWaitingJobs } from '@widget-service/cluster/bullmq/coalesced-jobs.ts';
import { queueName, redisKeys } from '@widget-service/cluster/redis/keys.ts';
import { serializeHookJob } from '@widget-service/shared/adapters/hook-job-codec.ts';
import type { QueueItem } from '@widget-service/shared/domain/queue-item.ts';
import { createUuidV7 } from '@widget-service/shared/domain/uuid.ts';
import type { ConsumedBatch, ConsumeOutcome } from '@widget-service/shared/ports/hook-queue.ts';
import { Redis } from 'ioredis';
import { beforeEach, describe, expect, inject, test } from 'vitest';
import { aDelivery } from '../drivers/app/builders.ts';
import { openSharedBackend } from '../drivers/app/open-shared.ts';
import { findQueueRedis } from '../drivers/cluster/test-redis.ts';
import { openProducer } from '../drivers/cluster/use-cluster-backend.ts';
import { eventually } from '../drivers/tools/eventually.ts';

const getWidgetIds = (items: readonly QueueItem[]) => items.map((item) => (item.type === 'nudge' ? item.widgetId : ''));

describe('HookQueue.consume, with coalescing', async () => {
  const testBackend = await openSharedBackend({ hookPartitions: 1 });

  /** Enqueues `count` jobs of `size` nudges each. Returns the widget ids in their order. */
  async function enqueue(count: number, size: number): Promise<string[]> {
    const ids: string[] = [];
    for (let job = 0; job < count; job += 1) {
      const items = Array.from({ length: size }, (): QueueItem => ({ type: 'nudge', widgetId: createUuidV7() }));
      ids.push(...getWidgetIds(items));
      await testBackend.backend.hookQueue.enqueue({ jobId: `job-${randomUUID()}`, partition: 0, items });
    }
    return ids;
  }

  /** Consumes until `isEnough` returns true for the runs so far. Returns them in order. */
  async function consume(
    handle: (batch: ConsumedBatch, runs: readonly ConsumedBatch[]) => ConsumeOutcome | Promise<ConsumeOutcome>,
    isEnough: (runs: readonly ConsumedBatch[]) => boolean,
  ): Promise<ConsumedBatch[]> {
    const runs: ConsumedBatch[] = [];
    const { promise, resolve } = Promise.withResolvers<void>();
    const consumer = await testBackend.backend.hookQueue.consume(
      async (batch) => {
        if (isEnough(runs)) return 'release';
        runs.push(batch);
        if (isEnough(runs)) setImmediate(resolve);
        return handle(batch, runs);
      },
      { coalesce: true },
    );
    await promise;
    await consumer.close();
    return runs;
  }

  const getConsumedIds = (runs: readonly ConsumedBatch[]) => runs.flatMap((run) => getWidgetIds(run.items));

  test('processes many waiting jobs in few runs of at most 256 items, each item once and in order', async () => {
    const ids = await enqueue(40, 20);
    const runs = await consume(
      () => 'done',
      (soFar) => getConsumedIds(soFar).length >= ids.length,
    );
    expect(getConsumedIds(runs)).toEqual(ids);
    expect(runs.length).toBeLessThan(10);
    expect(Math.max(...runs.map((run) => run.items.length))).toBeLessThanOrEqual(256);
    expect(await testBackend.backend.hookQueue.pressure()).toMatchObject({ waitingJobs: 0 });
  });

  test('keeps the coalesced jobs of a released run in the queue, in their order', async () => {
    const ids = await enqueue(5, 2);
    const runs = await consume(
      (_, soFar) => (soFar.length === 1 ? 'release' : 'done'),
      (soFar) => getConsumedIds(soFar.slice(1)).length >= ids.length,
    );
    expect(getConsumedIds(runs.slice(0, 1))).toEqual(ids);
    expect(getConsumedIds(runs.slice(1))).toEqual(ids);
  });

  test('keeps the coalesced jobs of a released run across a reopen', async () => {
    const ids = await enqueue(5, 2);
    await consume(
      () => 'release',
      (soFar) => soFar.length === 1,
    );
    await testBackend.reopen();
    const runs = await consume(
      () => 'done',
      (soFar) => getConsumedIds(soFar).length >= ids.length,
    );
    expect(getConsumedIds(runs)).toEqual(ids);
  });

  test('no longer counts the deliveries of coalesced jobs once they are done, while other jobs wait', async () => {
    const { hookQueue } = testBackend.backend;
    const integrationId = createUuidV7();
    const items: QueueItem[] = [{ type: 'delivery', delivery: aDelivery({ integrationId }) }];
    for (let job = 0; job < 3; job += 1) {
      await hookQueue.enqueue({ jobId: `job-${randomUUID()}`, partition: 0, items });
    }
    // Too many to be coalesced with them.
    await enqueue(1, 256);
    const count = async () => (await hookQueue.pressure()).waitingByIntegration.get(integrationId)?.deliveries;
    expect(await count()).toBe(3);
    const [run] = await consume(
      () => 'done',
      (soFar) => soFar.length === 1,
    );
    expect(run?.items).toHaveLength(3);
    await eventually(async () => (await count()) === undefined, 'none is counted');
    expect((await hookQueue.pressure()).waitingJobs).toBe(1);
    await consume(
      () => 'done',
      (soFar) => soFar.length === 1,
    );
  });
});

const buildNudges = (count: number) =>
  Array.from({ length: count }, (): QueueItem => ({ type: 'nudge', widgetId: createUuidV7() }));

/** Returns the approximate length of a Redis reply, in bytes. */
const measureReply = (reply: unknown): number =>
  Array.isArray(reply) ? reply.reduce<number>((sum, part) => sum + measureReply(part), 0) : String(reply).length;

describe.runIf(inject('backend') === 'cluster')('coalesceWaitingJobs', () => {
  let redis: Redis;
  let hookQueue: BullmqHookQueue;
  let queue: Parameters<typeof coalesceWaitingJobs>[1];
  /** How many commands the queue sent to Redis, and how many bytes Redis replied. */
  let traffic = { commands: 0, bytes: 0 };
  beforeEach(async () => {
    redis = new Redis(findQueueRedis().operatorUrl, { protocol: 2 });
    await redis.ping();
    const send = redis.sendCommand.bind(redis);
    redis.sendCommand = (command, stream) => {
      traffic.commands += 1;
      void command.promise.then((reply: unknown) => {
        traffic.bytes += measureReply(reply);
      });
      return send(command, stream);
    };
    const prefix = `t-${randomBytes(8).toString('hex')}`;
    const keys = redisKeys(prefix);
    hookQueue = openProducer(redis, prefix);
    const toKey = (name: string) => [keys.queuePrefix, queueName(1, 0), name].join(':');
    queue = { keys: { wait: toKey('wait') }, toKey };
    return async () => {
      await hookQueue.close();
      await redis.unlink(await redis.keys(toKey('*')));
      redis.disconnect();
    };
  });

  /** Enqueues one job per size, and resets `traffic`. Returns the items of each job. */
  async function enqueue(sizes: readonly number[]): Promise<QueueItem[][]> {
    const jobs = sizes.map(buildNudges);
    for (const items of jobs) await hookQueue.enqueue({ jobId: `job-${randomUUID()}`, partition: 0, items });
    traffic = { commands: 0, bytes: 0 };
    return jobs;
  }
  const measureJob = (items: readonly QueueItem[]) => JSON.stringify(serializeHookJob(items)).length;
  const measureJobs = (jobs: readonly QueueItem[][]) => jobs.reduce((sum, job) => sum + measureJob(job), 0);

  test('reads each job that fits once, and few of the others', async () => {
    const jobs = await enqueue([100, 100, ...Array.from({ length: 62 }, () => 256)]);
    const { items, jobIds } = await coalesceWaitingJobs(redis, queue, buildNudges(10), 1_000);
    expect(items).toEqual(jobs.slice(0, 2).flat());
    expect(jobIds).toHaveLength(2);
    expect(traffic.bytes).toBeLessThan(measureJobs(jobs) / 5);
  });

  test('leaves out jobs whose data was removed', async () => {
    const jobs = await enqueue([1, 1, 1]);
    const { jobIds } = await coalesceWaitingJobs(redis, queue, buildNudges(1), 100);
    await redis.del(queue.toKey(jobIds[1] ?? ''));
    const { items } = await coalesceWaitingJobs(redis, queue, buildNudges(1), 100);
    expect(items).toEqual([jobs[0], jobs[2]].flat());
  });

  test.each(['not JSON', '{"a":1}'])('stops before a job whose data is %s', async (data) => {
    const jobs = await enqueue([1, 1, 1]);
    const { jobIds } = await coalesceWaitingJobs(redis, queue, buildNudges(1), 100);
    await redis.hset(queue.toKey(jobIds[1] ?? ''), 'data', data);
    const { items } = await coalesceWaitingJobs(redis, queue, buildNudges(1), 100);
    expect(items).toEqual(jobs[0]);
  });
});
