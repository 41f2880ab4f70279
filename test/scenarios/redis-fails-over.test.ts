/**
 * Redis has a replica, and a hook is accepted when the replica has it, as is the default. First there is a planned
 * failover. Then the new primary dies while its replica is behind.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, describe, expect, test } from 'vitest';
import { eventually } from '../drivers/tools/eventually.ts';
import { isHaproxyInstalled } from '../faults/balancer.ts';
import { type FaultRun, useFaultRun } from '../faults/checkpoint.ts';
import {
  countGapReasons,
  excludeStarved,
  findEndedStreams,
  findLateOrWrongAnswers,
  isAccepting,
  selectHooks,
} from '../faults/recording-queries.ts';
import { type RedisProcess, startRedis } from '../faults/redis-process.ts';
import { openTcpProxy, type TcpProxy } from '../faults/tcp-proxy.ts';

/** Hooks that are on their way when the link freezes may still be confirmed, for this time. */
const inFlightMs = 1_000;

describe.runIf(isHaproxyInstalled())('failover of Redis to its replica', () => {
  let cluster: FaultRun['cluster'];
  let load: FaultRun['load'];
  let checkpoints: FaultRun['checkpoints'];
  let other: RedisProcess;
  /** The replica connects to the primary through this link. */
  let replicaLink: TcpProxy;

  // Pods and workers look for replicas when they start.
  const beforeStart = async (redis: RedisProcess) => {
    other = await startRedis();
    replicaLink = await openTcpProxy({ host: '127.0.0.1', port: redis.port });
    await other.replicate(replicaLink.port);
    await redis.waitUntilConfirmed();
    return {};
  };
  afterAll(async () => {
    await replicaLink?.close();
    await other?.dispose();
  });
  useFaultRun('failovers of Redis', { beforeStart, revocationsPerSecond: 0 }, (run) => {
    ({ cluster, load, checkpoints } = run);
  });

  test('planned: nothing is lost, no stream ends, and every hook of the last second is accepted', async () => {
    const fromMs = performance.now();
    await cluster.redis.failOverTo(other.port);
    cluster.redisLink.redirectTo(other.port);
    await delay(4_000);
    const toMs = performance.now();
    const row = await checkpoints.take('planned failover of Redis to its replica');
    expect(row.reconnections).toBe(0);
    expect(findEndedStreams(load.recording, { fromMs, toMs })).toEqual([]);
    expect(findLateOrWrongAnswers(selectHooks(load.recording, { fromMs, toMs }))).toEqual([]);
    const lastSecond = excludeStarved(selectHooks(load.recording, { fromMs: toMs - 1_000, toMs }));
    expect(lastSecond.filter(({ outcome }) => outcome !== 'ok')).toEqual([]);
  });

  test('unplanned, while the replica is behind: no accepted hook is lost, and streams receive stream.gap', async () => {
    // Since the planned failover, `other` is the primary.
    replicaLink.redirectTo(other.port);
    await cluster.redis.replicate(replicaLink.port);
    await other.waitUntilConfirmed();
    const sinceMs = performance.now();
    await eventually(async () => isAccepting(load.recording, sinceMs), 'hooks are accepted');
    const fromMs = performance.now();
    replicaLink.freeze();
    await delay(inFlightMs + 3_000);
    const toMs = performance.now();
    await Promise.all([other.kill(), cluster.redisLink.refuse()]);
    await cluster.redis.becomePrimary();
    cluster.redisLink.redirectTo(cluster.redis.port);
    await cluster.redisLink.mend();
    await other.start();
    await other.replicate(cluster.redis.port);
    await delay(3_000);
    await checkpoints.take('Redis dies and a replica that was behind takes over', {
      gaps: true,
      isLast: true,
      withinMs: 60_000,
    });
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
