import { randomUUID } from 'node:crypto';
import { beginNewEpoch } from '@widget-service/cluster/begin-new-epoch.ts';
import { type ClusterOptions, openCluster } from '@widget-service/cluster/open-cluster.ts';
import { openFailFastConnection } from '@widget-service/cluster/redis/connections.ts';
import { RedisRefusalError } from '@widget-service/cluster/redis/first-contact.ts';
import { findTargets } from '@widget-service/cluster/redis/redis-failover.ts';
import type { Backend } from '@widget-service/shared/ports/backend.ts';
import { aProcessState } from '@widget-service/shared/tasks/testing/a-process-state.ts';
import { afterAll, beforeAll, describe, expect, inject, onTestFinished, test } from 'vitest';
import { anEventAppend } from '../drivers/app/builders.ts';
import { aCluster, dropDatabaseOf, expectTailOfReplica } from '../drivers/cluster/use-cluster-backend.ts';
import { eventually } from '../drivers/tools/eventually.ts';
import { type RedisClusterProcesses, startRedisCluster } from '../faults/redis-cluster.ts';
import { startRedis } from '../faults/redis-process.ts';

describe.runIf(inject('backend') === 'cluster')(
  'a Redis Cluster',
  () => {
    let redis: RedisClusterProcesses;
    let options: ClusterOptions;
    let backend: Backend;
    const consumed = new Set<string>();

    beforeAll(async () => {
      redis = await startRedisCluster();
      const nodes = redis.nodes.map(({ port }) => `127.0.0.1:${port}`).join(',');
      options = aCluster({ REDIS_URL: `redis://${nodes}/`, HOOK_PARTITIONS: '2' });
      backend = await openCluster(options);
      const consumer = await backend.hookQueue.consume(
        async ({ jobId }) => {
          consumed.add(jobId);
          return 'done';
        },
        { coalesce: false },
      );
      return () => consumer.close();
    }, 60_000);
    afterAll(async () => {
      await backend?.close();
      await redis?.dispose();
      await dropDatabaseOf(options);
    });

    const isDone = async (work: () => Promise<unknown>) =>
      (await Promise.allSettled([work()]))[0].status === 'fulfilled';

    /** Uses each kind of connection until it works: commands, BullMQ's workers, blocking reads. */
    async function useAll(): Promise<void> {
      const { hookQueue, eventLog, control, processStates } = backend;
      const jobId = `job-${randomUUID()}`;
      const enqueue = () => hookQueue.enqueue({ jobId, partition: 0, items: [] });
      await eventually(() => isDone(enqueue), 'a job is enqueued', 30_000);
      await eventually(async () => consumed.has(jobId), 'the job is consumed', 30_000);

      const tail = eventLog.openTail();
      const read: string[] = [];
      const added = anEventAppend();
      const isRead = async () => {
        const { run } = await backend.runs.startRun();
        const { last } = await eventLog.append(run, null, [added]);
        const records = await tail.next({ ...last, seq: last.seq - 1 }, 10);
        read.push(...records.map(({ event }) => event.eventId));
      };
      await eventually(() => isDone(isRead), 'an event is appended and read', 30_000);
      expect(new Set(read)).toEqual(new Set([added.event.eventId]));
      await tail.close();

      const controlTail = control.openTail();
      const announced = { kind: 'user', id: randomUUID(), change: 'changed' } as const;
      await eventually(() => isDone(() => controlTail.next()), 'the control log is read', 30_000);
      await eventually(() => isDone(() => control.announce(announced)), 'an entry is announced', 30_000);
      const isAnnounced = async () => (await controlTail.next()).entries.some(({ id }) => id === announced.id);
      await eventually(() => isAnnounced().catch(() => false), 'the entry is read', 30_000);
      await controlTail.close();

      const state = aProcessState();
      await eventually(() => isDone(() => processStates.write(state, new Map())), 'a state is written', 30_000);
      expect((await processStates.list()).map((read) => read.state)).toContainEqual(state);
      expect(await hookQueue.pressure()).toMatchObject({ memoryUsedRatio: null });
    }

    test('is used by every kind of connection', useAll);

    test('is used after a planned failover', async () => {
      const { replica } = await redis.findRoles();
      // Redis closes connections that block when it stops to be the owner. This one it leaves open.
      const { queue } = findTargets(options, () => undefined);
      const [alone, subscriber] = [openFailFastConnection(queue, 'test'), openFailFastConnection(queue, 'listener')];
      for (const connection of [alone, subscriber]) onTestFinished(() => connection.disconnect());
      const write = () => alone.set('{test}:written', '1');
      await eventually(() => isDone(write), 'a write to the owner');
      await subscriber.subscribe('{test}:news');
      await redis.failOver();
      await eventually(() => isDone(write), 'a write to the new owner');
      const isHeard = async () => (await alone.publish('{test}:news', 'x')) === 1;
      await eventually(() => isHeard().catch(() => false), 'a subscriber that was told nothing follows');
      await useAll();
      expect(await redis.findRoles()).toMatchObject({ owner: { port: replica.port } });
    });

    test('is used after the owner was killed, and when it is back as a replica', async () => {
      const { owner, replica } = await redis.findRoles();
      await eventually(() => replica.isInSync(), 'the former owner is a replica in sync', 30_000);
      await owner.kill();
      await useAll();
      await owner.start();
      await eventually(() => owner.isInSync(), 'the killed node is a replica in sync', 30_000);
      await useAll();
    });

    test('is used while the former owner is frozen, and after it has thawed', async () => {
      const { owner } = await redis.findRoles();
      owner.freeze();
      onTestFinished(() => owner.thaw());
      await useAll();
      owner.thaw();
      await eventually(() => owner.isInSync(), 'the frozen node is a replica in sync', 30_000);
      await useAll();
    });

    test('serves tails from a replica, and from the primary once the replica is gone', async () => {
      const { owner: primary, replica } = await redis.findRoles();
      await eventually(() => replica.isInSync(), 'the replica is in sync', 40_000);
      await expectTailOfReplica(options, { primary, replica });
      await replica.start();
    });

    test('gets a new epoch', async () => {
      const { run } = await backend.runs.startRun();
      const before = await backend.eventLog.append(run, null, [anEventAppend()]);
      const { begin, marksRemoved } = await beginNewEpoch(options, options.retention);
      expect(begin.epoch).not.toBe(before.last.epoch);
      expect(marksRemoved).toBeGreaterThan(0);
    });

    test('is refused if the URL names one of its nodes alone', async () => {
      const { owner } = await redis.findRoles();
      const opened = openCluster({ ...options, REDIS_URL: owner.url });
      await expect(opened).rejects.toThrow(RedisRefusalError);
      await expect(opened).rejects.toThrow(
        /^REDIS_URL: .*node of a Redis Cluster; name several of its nodes, or its only one twice/,
      );
    });

    test('is refused if the nodes are those of a Redis that is no cluster', async () => {
      const alone = await startRedis();
      onTestFinished(() => alone.dispose());
      const opened = openCluster({ ...options, REDIS_URL: `redis://127.0.0.1:${alone.port},127.0.0.1:${alone.port}/` });
      await expect(opened).rejects.toThrow(RedisRefusalError);
      await expect(opened).rejects.toThrow(/cluster support disabled/);
    });

    test('is refused if the URL names another database than 0', async () => {
      await expect(openCluster({ ...options, REDIS_URL: `${options.REDIS_URL}3` })).rejects.toThrow(
        /SELECT is not allowed in cluster mode/,
      );
    });
  },
  180_000,
);
