import { setTimeout as delay } from 'node:timers/promises';
import type { BullmqHookQueue } from '@widget-service/cluster/bullmq/bullmq-hook-queue.ts';
import { Redis } from 'ioredis';
import { beforeEach, describe, expect, inject, onTestFinished, test } from 'vitest';
import { openProducer } from '../drivers/cluster/use-cluster-backend.ts';
import { eventually } from '../drivers/tools/eventually.ts';
import { type RedisProcess, startRedis } from '../faults/redis-process.ts';

describe.runIf(inject('backend') === 'cluster')('HOOK_ACK_REPLICAS', () => {
  let primary: RedisProcess;
  let replica: RedisProcess;
  let said: string[];

  beforeEach(async () => {
    said = [];
    [primary, replica] = await Promise.all([startRedis(), startRedis()]);
    return () => Promise.all([primary.dispose(), replica.dispose()]);
  });

  async function attachReplica(): Promise<void> {
    await replica.replicate(primary.port);
    await primary.waitUntilConfirmed();
  }

  /** Opens a producer with a connection of its own, as a process that starts does. `count` is null if it is not set. */
  async function openQueue(url: string, count: number | null = null): Promise<BullmqHookQueue> {
    const options = { enableOfflineQueue: false, maxRetriesPerRequest: 1, commandTimeout: 1500 };
    const redis = new Redis(url, { ...options, protocol: 2, retryStrategy: () => 100 });
    redis.on('error', () => undefined);
    await eventually(async () => redis.status === 'ready', 'a connection');
    const hookQueue = openProducer(redis, 'test', {
      ackReplicas: count,
      replicaLookIntervalMs: 50,
      onNotice: (message) => said.push(`notice: ${message}`),
      onWarning: (message) => said.push(`warning: ${message}`),
    });
    onTestFinished(async () => {
      await hookQueue.close();
      redis.disconnect();
    });
    return hookQueue;
  }

  let jobs = 0;
  const enqueue = (queue: BullmqHookQueue) => {
    jobs += 1;
    return queue.enqueue({ jobId: `job-${jobs}`, partition: 0, items: [] });
  };
  const isEnqueued = (queue: BullmqHookQueue) =>
    enqueue(queue).then(
      () => true,
      () => false,
    );
  const unconfirmed = expect.objectContaining({
    internalMessage: expect.stringContaining('0 of 1 replicas confirmed'),
  });

  test('not set, without a replica: a hook waits for none', async () => {
    const queue = await openQueue(primary.url);
    await enqueue(queue);
    expect(said).toEqual([]);
  });

  test('not set, with a replica: each hook waits for it, from the first one on', async () => {
    await attachReplica();
    const queue = await openQueue(primary.url);
    await enqueue(queue);
    expect(said).toEqual([expect.stringMatching(/^notice: redis has a replica: a hook is answered 202 once/)]);
    replica.freeze();
    await expect(enqueue(queue)).rejects.toEqual(unconfirmed);
    replica.thaw();
    await eventually(() => isEnqueued(queue), 'the replica confirms again');
  });

  test('not set: a replica that comes later counts as soon as it is seen', async () => {
    const queue = await openQueue(primary.url);
    await enqueue(queue);
    await attachReplica();
    await eventually(async () => said.length > 0, 'the replica is seen');
    await replica.kill();
    await expect(enqueue(queue)).rejects.toEqual(unconfirmed);
  });

  test('not set: a process that starts while the replica is away waits for it as well', async () => {
    await attachReplica();
    await enqueue(await openQueue(primary.url));
    await replica.kill();
    await expect(enqueue(await openQueue(primary.url))).rejects.toEqual(unconfirmed);
  });

  test('not set: so does a process that starts with the promoted replica, and one with the deposed primary', async () => {
    await attachReplica();
    await enqueue(await openQueue(primary.url));
    await replica.becomePrimary();
    await expect(enqueue(await openQueue(replica.url))).rejects.toEqual(unconfirmed);
    await expect(enqueue(await openQueue(primary.url))).rejects.toEqual(unconfirmed);
  });

  test('not set: each of many hooks that wait for a replica in vain says so', async () => {
    await attachReplica();
    const queue = await openQueue(primary.url);
    await enqueue(queue);
    await replica.kill();
    await expect(enqueue(queue)).rejects.toEqual(unconfirmed);
    // A WAIT blocks those behind it, so these end at several time limits.
    const startEvery20Ms = Array.from({ length: 150 }, (_, index) =>
      delay(index * 20).then(() => expect(enqueue(queue)).rejects.toEqual(unconfirmed)),
    );
    await Promise.all(startEvery20Ms);
  });

  test('not set: removing the mark ends the wait for a replica that was detached, also in running processes', async () => {
    await attachReplica();
    const queue = await openQueue(primary.url);
    await enqueue(queue);
    await replica.becomePrimary();
    const [, remedy = ''] = await enqueue(queue).then(
      () => [],
      ({ internalMessage }) => /run: redis-cli -u "\$REDIS_URL" (.*)$/.exec(internalMessage) ?? [],
    );
    expect(remedy).toBe('DEL "{test}:replicated"');
    await primary.send('DEL', '{test}:replicated');
    await eventually(() => isEnqueued(queue), 'hooks wait for no replica');
    await enqueue(await openQueue(primary.url));
  });

  test('not set: removing the mark while a replica is in sync changes nothing', async () => {
    await attachReplica();
    const queue = await openQueue(primary.url);
    await enqueue(queue);
    await primary.send('DEL', '{test}:replicated');
    await eventually(async () => (await primary.send('EXISTS', '{test}:replicated')) === '1', 'the mark is back');
    await replica.kill();
    await expect(enqueue(queue)).rejects.toEqual(unconfirmed);
  });

  test('0: no hook waits, and a warning says what that risks', async () => {
    await attachReplica();
    const accepting = await openQueue(primary.url, 0);
    await eventually(async () => said.length > 0, 'the warning');
    expect(said).toEqual([expect.stringMatching(/^warning: redis has a replica, but HOOK_ACK_REPLICAS=0/)]);
    replica.freeze();
    await enqueue(accepting);
  });

  test('0 forgets the replica: a later start without the setting waits for none', async () => {
    await attachReplica();
    const queue = await openQueue(primary.url);
    await enqueue(queue);
    await queue.close();
    await replica.kill();
    const accepting = await openQueue(primary.url, 0);
    const isForgotten = async () => isEnqueued(await openQueue(primary.url));
    await eventually(isForgotten, 'a start without the setting waits for none');
    await enqueue(accepting);
  });

  test('not set, and INFO is forbidden: a warning says that replicas are not seen', async () => {
    const operator = new Redis(primary.url);
    await operator.call('ACL', 'SETUSER', 'pod', 'on', '>pass', '~*', 'allchannels', '+@all', '-info');
    operator.disconnect();
    const url = new URL(primary.url);
    Object.assign(url, { username: 'pod', password: 'pass' });
    await enqueue(await openQueue(url.href));
    expect(said).toEqual([expect.stringMatching(/^warning: redis forbids INFO/)]);
  });
});
