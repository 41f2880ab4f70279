/**
 * Redis with a replica, and hooks that are answered once the replica has them (`HOOK_ACK_REPLICAS=1`): the replica takes
 * over, once because it was asked to and once because the primary died while the replica was behind.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Load, openLoad } from '../drivers/load.ts';
import { isBalancerThere } from '../faults/balancer.ts';
import { createCheckpoints, expectNone } from '../faults/checkpoint.ts';
import { type FaultCluster, openFaultCluster } from '../faults/fault-cluster.ts';
import { reasonsOfGaps } from '../faults/gap-reasons.ts';
import { hooksSentIn, judged, notAnsweredAsPromised, streamsEndedIn } from '../faults/outage.ts';
import { type RedisProcess, startRedis } from '../faults/redis-process.ts';
import { openTcpProxy, type TcpProxy } from '../faults/tcp-proxy.ts';

/** What was on its way to the replica when its link froze may still be confirmed. */
const underwayMs = 1_000;

let cluster: FaultCluster;
let load: Load;
let replica: RedisProcess;
/** From the replica to the primary. */
let replicaLink: TcpProxy;

beforeEach(async () => {
  cluster = await openFaultCluster({ environment: { HOOK_ACK_REPLICAS: '1' } });
  replica = await startRedis();
  replicaLink = await openTcpProxy({ host: '127.0.0.1', port: cluster.redis.port });
  await replica.follow(replicaLink.port);
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

describe.runIf(isBalancerThere())('a replica of Redis takes over', () => {
  it('because it was asked to: nothing is lost, no stream ends, and hooks flow again', async () => {
    const checkpoints = createCheckpoints('a planned failover of Redis', cluster, load);
    const fromMs = performance.now();
    await cluster.redis.handOver(replica.port);
    cluster.redisLink.leadTo(replica.port);
    await delay(4_000);
    const toMs = performance.now();
    const { violations, row } = await checkpoints.take('Redis hands over to its replica', { isLast: true });
    await checkpoints.report();
    expectNone(violations);
    expect(row.reconnections).toBe(0);
    expect(streamsEndedIn(load.recording, { fromMs, toMs })).toEqual([]);
    expect(notAnsweredAsPromised(hooksSentIn(load.recording, { fromMs, toMs }))).toEqual([]);
    const lastSecond = judged(hooksSentIn(load.recording, { fromMs: toMs - 1_000, toMs }));
    expect(lastSecond.filter(({ outcome }) => outcome !== 'ok')).toEqual([]);
  });

  it('because the primary died while it was behind: no hook that was answered is lost, and streams are told', async () => {
    const checkpoints = createCheckpoints('an unplanned failover of Redis', cluster, load);
    const fromMs = performance.now();
    replicaLink.freeze();
    await delay(underwayMs + 3_000);
    const toMs = performance.now();
    await Promise.all([cluster.redis.kill(), cluster.redisLink.refuse()]);
    await replica.stopFollowing();
    cluster.redisLink.leadTo(replica.port);
    await cluster.redisLink.mend();
    await cluster.redis.start();
    await cluster.redis.follow(replica.port);
    await delay(4_000);
    const { violations } = await checkpoints.take('Redis dies, a replica that was behind takes over', {
      gaps: true,
      isLast: true,
      withinMs: 60_000,
    });
    await checkpoints.report();
    expectNone(violations);
    const unconfirmed = hooksSentIn(load.recording, { fromMs: fromMs + underwayMs, toMs });
    expect(unconfirmed.length).toBeGreaterThan(50);
    // Who still waited when the replica took over is answered by that one.
    expect(unconfirmed.filter(({ outcome, endedAtMs }) => outcome === 'ok' && endedAtMs < toMs)).toEqual([]);
    expect(notAnsweredAsPromised(unconfirmed)).toEqual([]);
    const { 'ahead-of-stream': ahead = 0, ...reasons } = reasonsOfGaps(load.recording);
    expect(reasons).toEqual({ 'epoch-changed': load.streams.length });
    expect(ahead).toBeLessThanOrEqual(load.streams.length);
  });
});
