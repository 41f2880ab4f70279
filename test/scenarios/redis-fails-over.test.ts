/**
 * Redis has a replica, and a hook is accepted when the replica has it, as is the default. One scenario performs a
 * planned failover. In the other, the primary dies while the replica is behind.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Load, openLoad } from '../drivers/cluster/load.ts';
import { isHaproxyInstalled } from '../faults/balancer.ts';
import { checkFaultCluster } from '../faults/checked-deployment.ts';
import { createCheckpoints } from '../faults/checkpoint.ts';
import { type FaultCluster, openFaultCluster } from '../faults/fault-cluster.ts';
import {
  countGapReasons,
  excludeStarved,
  findEndedStreams,
  findLateOrWrongAnswers,
  selectHooks,
} from '../faults/recording-queries.ts';
import { type RedisProcess, startRedis } from '../faults/redis-process.ts';
import { openTcpProxy, type TcpProxy } from '../faults/tcp-proxy.ts';

/** Hooks that are on their way when the link freezes may still be confirmed, for this time. */
const inFlightMs = 1_000;

let cluster: FaultCluster;
let load: Load;
let replica: RedisProcess;
/** The replica connects to the primary through this link. */
let replicaLink: TcpProxy;

beforeEach(async () => {
  // Pods and workers look for replicas when they start.
  const beforeStart = async (redis: RedisProcess) => {
    replica = await startRedis();
    replicaLink = await openTcpProxy({ host: '127.0.0.1', port: redis.port });
    await replica.replicate(replicaLink.port);
    await redis.waitUntilConfirmed();
    return {};
  };
  cluster = await openFaultCluster({ beforeStart });
  load = await openLoad(cluster, { revocationsPerSecond: 0 });
  load.start();
  await delay(3_000);
});

afterEach(async () => {
  await load.close();
  await cluster.dispose();
  await replicaLink.close();
  await replica.dispose();
});

describe.runIf(isHaproxyInstalled())('failover of Redis to its replica', () => {
  test('planned: nothing is lost, no stream ends, and every hook of the last second is accepted', async () => {
    const checkpoints = createCheckpoints('a planned failover of Redis', checkFaultCluster(cluster), load);
    const fromMs = performance.now();
    await cluster.redis.failOverTo(replica.port);
    cluster.redisLink.redirectTo(replica.port);
    await delay(4_000);
    const toMs = performance.now();
    const row = await checkpoints
      .take('planned failover of Redis to its replica', { isLast: true })
      .finally(() => checkpoints.report());
    expect(row.reconnections).toBe(0);
    expect(findEndedStreams(load.recording, { fromMs, toMs })).toEqual([]);
    expect(findLateOrWrongAnswers(selectHooks(load.recording, { fromMs, toMs }))).toEqual([]);
    const lastSecond = excludeStarved(selectHooks(load.recording, { fromMs: toMs - 1_000, toMs }));
    expect(lastSecond.filter(({ outcome }) => outcome !== 'ok')).toEqual([]);
  });

  test('unplanned, while the replica is behind: no accepted hook is lost, and streams receive stream.gap', async () => {
    const checkpoints = createCheckpoints('an unplanned failover of Redis', checkFaultCluster(cluster), load);
    const fromMs = performance.now();
    replicaLink.freeze();
    await delay(inFlightMs + 3_000);
    const toMs = performance.now();
    await Promise.all([cluster.redis.kill(), cluster.redisLink.refuse()]);
    await replica.becomePrimary();
    cluster.redisLink.redirectTo(replica.port);
    await cluster.redisLink.mend();
    await cluster.redis.start();
    await cluster.redis.replicate(replica.port);
    await delay(4_000);
    await checkpoints
      .take('Redis dies and a replica that was behind takes over', {
        gaps: true,
        isLast: true,
        withinMs: 60_000,
      })
      .finally(() => checkpoints.report());
    const unconfirmed = selectHooks(load.recording, { fromMs: fromMs + inFlightMs, toMs });
    expect(unconfirmed.length).toBeGreaterThan(50);
    // The new primary may accept hooks that still waited at the failover.
    expect(unconfirmed.filter(({ outcome, endedAtMs }) => outcome === 'ok' && endedAtMs < toMs)).toEqual([]);
    expect(findLateOrWrongAnswers(unconfirmed)).toEqual([]);
    const { 'ahead-of-stream': ahead = 0, ...reasons } = countGapReasons(load.recording);
    expect(reasons).toEqual({ 'epoch-changed': load.streams.length });
    expect(ahead).toBeLessThanOrEqual(load.streams.length);
  });
});
