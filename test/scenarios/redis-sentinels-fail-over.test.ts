/**
 * Three Sentinels watch a Redis and its replica, and every pod and worker asks them where Redis is. A hook is accepted
 * when the replica has it, as is the default. Under load: a planned failover, a primary that is killed, and one
 * that is frozen and thawed.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, describe, test } from 'vitest';
import { eventually } from '../drivers/tools/eventually.ts';
import { isHaproxyInstalled } from '../faults/balancer.ts';
import { type FaultRun, useFaultRun } from '../faults/checkpoint.ts';
import { type RedisProcess, startRedis } from '../faults/redis-process.ts';
import { type RedisSentinels, sentinelName, startSentinels } from '../faults/redis-sentinels.ts';

describe.runIf(isHaproxyInstalled())('failover of a Redis behind Sentinels', () => {
  let cluster: FaultRun['cluster'];
  let checkpoints: FaultRun['checkpoints'];
  let other: RedisProcess;
  let sentinels: RedisSentinels;

  const beforeStart = async (redis: RedisProcess) => {
    other = await startRedis();
    await other.replicate(redis.port);
    await redis.waitUntilConfirmed();
    sentinels = await startSentinels(redis.port);
    return {
      REDIS_SENTINELS: `redis://${sentinels.addresses.map(({ host, port }) => `${host}:${port}`).join(',')}`,
      REDIS_URL: `redis://${sentinelName}/`,
    };
  };
  afterAll(async () => {
    await sentinels?.dispose();
    await other?.dispose();
  });
  useFaultRun('Sentinels', { hasLinks: false, beforeStart, revocationsPerSecond: 0 }, (run) => {
    ({ cluster, checkpoints } = run);
  });

  /** Returns the primary as the Sentinels know it, and the other one. */
  async function findRoles(): Promise<{ primary: RedisProcess; replica: RedisProcess }> {
    const isOwn = (await sentinels.readPrimaryPort()) === cluster.redis.port;
    return isOwn ? { primary: cluster.redis, replica: other } : { primary: other, replica: cluster.redis };
  }

  /** Waits until the replica has everything, so that either Redis can be read and no hook is refused. */
  async function waitUntilReplicated(): Promise<void> {
    const isReplicated = async () => (await findRoles()).replica.isInSync();
    await eventually(() => isReplicated().catch(() => false), 'the replica is in sync', 60_000);
  }

  test.each([
    [
      'planned failover, while pods and workers restart',
      async () => {
        // For about 10 s from now on, the old primary still says that it is the primary.
        await sentinels.failOver();
        await cluster.restartAll();
      },
    ],
    [
      'kill -9 of the primary, which comes back as a replica',
      async () => {
        const { primary, replica } = await findRoles();
        await primary.kill();
        await eventually(async () => (await sentinels.readPrimaryPort()) === replica.port, 'a failover', 40_000);
        await primary.start();
      },
    ],
    [
      'the primary is frozen for 20 s, and thaws as a primary',
      async () => {
        const { primary, replica } = await findRoles();
        primary.freeze();
        await eventually(async () => (await sentinels.readPrimaryPort()) === replica.port, 'a failover', 40_000);
        await delay(10_000);
        primary.thaw();
      },
    ],
  ] as const)('%s: nothing is lost, doubled or out of order', { timeout: 240_000 }, async (fault, happen) => {
    await happen();
    await waitUntilReplicated();
    // A Sentinel promotes the replica as it is. The last events may be lost, also at a planned failover: `stream.gap`
    // announces that. No hook is lost.
    const gaps = true;
    const row = `Sentinels: ${fault}`;
    await checkpoints.take(row, { withinMs: 60_000, gaps });
  });
});
