/**
 * Pods read new events from two replicas of Redis (`EVENTS_READ_REDIS`). Under load, a replica is killed, another one
 * is cut off from the primary for several seconds, and one takes over from a primary that dies.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, describe, expect, test } from 'vitest';
import { eventually } from '../drivers/tools/eventually.ts';
import { isHaproxyInstalled } from '../faults/balancer.ts';
import { type FaultRun, useFaultRun } from '../faults/checkpoint.ts';
import { type RedisProcess, startRedis } from '../faults/redis-process.ts';
import { openTcpProxy, type TcpProxy } from '../faults/tcp-proxy.ts';

describe.runIf(isHaproxyInstalled())('replicas of the event log', () => {
  let cluster: FaultRun['cluster'];
  let checkpoints: FaultRun['checkpoints'];
  let first: RedisProcess;
  let second: RedisProcess;
  /** The first replica connects to the primary through this link. */
  let replicaLink: TcpProxy;

  const beforeStart = async (redis: RedisProcess) => {
    [first, second] = await Promise.all([startRedis(), startRedis()]);
    replicaLink = await openTcpProxy({ host: '127.0.0.1', port: redis.port });
    await Promise.all([first.replicate(replicaLink.port), second.replicate(redis.port)]);
    await redis.waitUntilConfirmed();
    return { EVENTS_READ_REDIS: `127.0.0.1:${first.port},127.0.0.1:${second.port}` };
  };
  afterAll(async () => {
    await replicaLink?.close();
    await Promise.all([first?.dispose(), second?.dispose()]);
  });
  useFaultRun('replicas of the event log', { beforeStart, revocationsPerSecond: 0 }, (run) => {
    ({ cluster, checkpoints } = run);
  });

  const countTails = (redis: RedisProcess) => redis.countConnections('widget-service:tail');
  const areReadFrom = (replicas: readonly RedisProcess[]) => async () => {
    const counts = await Promise.all(replicas.map(countTails));
    return counts.reduce((sum, count) => sum + count, 0) === cluster.pods.length;
  };

  test('serve the tails of all pods; the primary serves none', async () => {
    expect(await countTails(cluster.redis)).toBe(0);
    expect(await areReadFrom([first, second])()).toBe(true);
  });

  test('one is killed: the others serve its tails, and nothing is missed', { timeout: 120_000 }, async () => {
    await second.kill();
    await eventually(areReadFrom([first, cluster.redis]), 'the first replica and the primary serve all tails', 20_000);
    await delay(1_000);
    await second.start();
    await second.replicate(cluster.redis.port);
    const row = await checkpoints.take('a replica that serves tails is killed', { withinMs: 60_000 });
    expect(row.reconnections).toBe(0);
  });

  test('one is cut off from the primary: events come late, and nothing is missed', { timeout: 120_000 }, async () => {
    // All pods return to a replica, after the first one has rested.
    await eventually(areReadFrom([first, second]), 'the replicas serve all tails', 40_000);
    for (const lagMs of [5_000, 1_500, 8_000]) {
      replicaLink.freeze();
      await delay(lagMs);
      await replicaLink.mend();
      await delay(1_000);
    }
    const row = await checkpoints.take('a replica that serves tails lags', { withinMs: 60_000 });
    expect(row.reconnections).toBe(0);
  });

  test('one takes over from a primary that dies: lost events are announced', { timeout: 120_000 }, async () => {
    await Promise.all([cluster.redis.kill(), cluster.redisLink.refuse()]);
    await second.becomePrimary();
    cluster.redisLink.redirectTo(second.port);
    await cluster.redisLink.mend();
    await cluster.redis.start();
    await cluster.redis.replicate(second.port);
    await delay(3_000);
    await first.replicate(second.port);
    await checkpoints.take('a replica that serves tails takes over', {
      gaps: true,
      isLast: true,
      withinMs: 60_000,
    });
  });
});
