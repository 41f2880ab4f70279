import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import { eventually } from '../drivers/tools/eventually.ts';
import { isHaproxyInstalled } from '../faults/balancer.ts';
import { type FaultRun, useFaultRun } from '../faults/checkpoint.ts';
import { expectMongoOutage, expectRedisOutage } from '../faults/expect-outage.ts';
import type { FaultCluster } from '../faults/fault-cluster.ts';
import { freezeDuringJob } from '../faults/freeze-during-job.ts';
import { countOpenStreams } from '../faults/process-metrics.ts';
import { findHooksWithoutEvent, type TimeRange } from '../faults/recording-queries.ts';
import { isLong, scale } from '../faults/scale.ts';
import type { ServiceSlot } from '../faults/service-slot.ts';
import type { TcpProxy } from '../faults/tcp-proxy.ts';

/** The load before a fault, which comes while hooks wait and run. */
const loadMs = isLong ? 1_500 : 500;
/**
 * A lock expires after 6 s, and other workers look for expired locks every 2 s. A frozen worker cannot renew its locks.
 */
const pastLockMs = 10_000;
/** A worker closes a dead connection after 12 s without an answer. Then its jobs start again as after a kill. */
const idleAfterDeadLinkMs = 60_000;
/** A worker releases its jobs when its stores have not answered for 10 s. It notices that within 5 s more. */
const releasedAfterMs = 15_000;
const receivedWithinMs = 5_000;
/** Longer than the 2 s within which the streams of a revoked subscription end. */
const pastRevocationMs = 4_000;
/** A pod waits 10 s, then watches for another 10 s whether others still append. A read may take 5 s until it fails. */
const streamsClosedWithinMs = 40_000;

describe.runIf(isHaproxyInstalled())('a cluster under load breaks no promise when', () => {
  let cluster: FaultRun['cluster'];
  let load: FaultRun['load'];
  let checkpoints: FaultRun['checkpoints'];

  useFaultRun('faults that heal', { environment: { DRAIN_DELAY_MS: '500' } }, (run) => {
    ({ cluster, load, checkpoints } = run);
  });

  /** Runs the load before, during and after the fault, then all checkers. Returns the time range of the fault. */
  async function runFault(fault: string, damage: () => Promise<void>, withinMs?: number): Promise<TimeRange> {
    await delay(loadMs);
    const fromMs = performance.now();
    await damage();
    const toMs = performance.now();
    await checkpoints.take(fault, withinMs === undefined ? {} : { withinMs });
    return { fromMs, toMs };
  }

  const countRevocations = () =>
    load.recording.revocations.filter(({ acknowledgedAtMs }) => acknowledgedAtMs !== null).length;

  /** Waits for a revocation, so that the revoked streams reconnect during a fault that starts right afterwards. */
  async function waitForRevocation(): Promise<void> {
    const before = countRevocations();
    await eventually(async () => countRevocations() > before, 'a subscription is revoked');
  }

  /** Restarts the process on a separate link to the store. After the test, it restarts it on the common link. */
  async function startOnSeparateLink(slot: ServiceSlot, store: 'MONGODB_URL' | 'REDIS_URL'): Promise<TcpProxy> {
    const { link, environment } = await cluster.openLinkFor(store);
    // Also after a failure, because the next tests are about other faults.
    onTestFinished(async () => {
      await slot.stop();
      await slot.start();
      await link.close();
    });
    await slot.stop();
    await slot.start(environment);
    return link;
  }

  test('a pod is killed while it serves requests', async () => {
    await runFault('kill -9 of a pod while it serves requests', async () => {
      await cluster.pods[0]!.kill();
      await delay(1_000);
      await cluster.pods[0]!.start();
    });
  });

  test('a worker is killed while it runs a job', async () => {
    await runFault('kill -9 of a worker while it runs a job', async () => {
      await freezeDuringJob(cluster, cluster.workers[0]!);
      await cluster.workers[0]!.kill();
      await cluster.workers[0]!.start();
    });
  });

  test('Redis is killed and restarts with its file; hooks are refused within 2 s, and no stream ends', async () => {
    const outage = await runFault('kill -9 of Redis, which restarts with its append-only file', async () => {
      await Promise.all([cluster.redis.kill(), cluster.redisLink.refuse()]);
      await delay(scale.redisDownMs);
      await Promise.all([cluster.redis.start(), cluster.redisLink.mend()]);
    });
    expectRedisOutage(load.recording, { ...outage, toMs: outage.fromMs + scale.redisDownMs });
  });

  test('Redis is frozen and continues; hooks are refused within 2 s, and no stream ends', async () => {
    const outage = await runFault(`Redis frozen for ${scale.redisFrozenMs / 1_000} s`, async () => {
      cluster.redis.freeze();
      await delay(scale.redisFrozenMs);
      cluster.redis.thaw();
    });
    // Redis may still answer requests of the last 2 s.
    expectRedisOutage(load.recording, { ...outage, toMs: outage.toMs - 2_000 });
  });

  const halfOpen = [
    ['replies do not arrive', 'to-client'],
    ['commands do not arrive', 'to-server'],
  ] as const;

  test.each(isLong ? halfOpen : halfOpen.slice(0, 1))('the link to Redis is half open: %s', async (name, direction) => {
    const damage = async () => {
      cluster.redisLink.swallow(direction);
      await delay(scale.linkDamagedMs);
      await cluster.redisLink.mend();
    };
    const outage = await runFault(`link to Redis half open: ${name}`, damage, idleAfterDeadLinkMs);
    // Redis may still answer requests of the last 2 s.
    expectRedisOutage(load.recording, { ...outage, toMs: outage.toMs - 2_000 });
  });

  test('replies of both stores are cut off after their commands arrived', async () => {
    await runFault('replies of both stores cut off after their commands arrived', async () => {
      const cut = async (link: FaultCluster['redisLink'], word: string, times: number) => {
        const before = link.repliesCut;
        link.cutReplies(times, (request) => request.includes(word));
        await eventually(async () => link.repliesCut - before === times, `${times} replies to ${word} are cut`);
        await link.mend();
      };
      await cut(cluster.redisLink, 'job-', 5);
      await cut(cluster.redisLink, ':log:meta', 5);
      await cut(cluster.redisLink, ':active', 5);
      for (const command of ['insert', 'update', 'findAndModify']) await cut(cluster.mongoLink, command, 5);
    });
  });

  test('MongoDB is cut off; hooks are accepted, creates are refused within 2 s, and no stream ends', async () => {
    await waitForRevocation();
    const outage = await runFault(`MongoDB cut off for ${scale.linkDamagedMs / 1_000} s`, async () => {
      cluster.mongoLink.cut();
      await delay(scale.linkDamagedMs);
      await cluster.mongoLink.mend();
    });
    expectMongoOutage(load.recording, outage);
  });

  test('MongoDB is stalled, and commands that timed out arrive late', async () => {
    await waitForRevocation();
    const fault = `MongoDB stalled for ${scale.linkDamagedMs / 1_000} s: commands that timed out arrive late`;
    const outage = await runFault(fault, async () => {
      cluster.mongoLink.freeze();
      await delay(scale.linkDamagedMs);
      await cluster.mongoLink.mend();
    });
    expectMongoOutage(load.recording, { ...outage, toMs: outage.toMs - 2_000 });
  });

  test('one worker alone is cut off from MongoDB; another worker runs its jobs within 20 s', async () => {
    const worker = cluster.workers[0]!;
    const link = await startOnSeparateLink(worker, 'MONGODB_URL');
    await runFault('one worker alone cut off from MongoDB for 15 s and more', async () => {
      const fromMs = performance.now();
      link.cut();
      await delay(releasedAfterMs);
      // Only these: later hooks wait behind them, and this test is not about throughput.
      const firstHooks = { fromMs, toMs: fromMs + 5_000 };
      const areReceived = async () => findHooksWithoutEvent(load.recording, firstHooks).length === 0;
      await eventually(areReceived, 'streams have received the events of all these hooks', receivedWithinMs);
      await link.mend();
    });
  });

  test('one pod alone is cut off from Redis; its streams reconnect to other pods', async () => {
    const pod = cluster.pods[0]!;
    const link = await startOnSeparateLink(pod, 'REDIS_URL');
    // The streams of the killed pod reconnect, some of them to this pod.
    await cluster.pods[1]!.kill();
    await cluster.pods[1]!.start();
    await eventually(async () => (await countOpenStreams(pod)) > 5, 'the pod has streams');
    await runFault('one pod alone cut off from Redis for 8 s', async () => {
      link.cut();
      await delay(8_000);
      await link.mend();
    });
    await runFault('one pod alone cut off from Redis until it closes its streams', async () => {
      link.cut();
      await eventually(
        async () => (await countOpenStreams(pod)) === 0,
        'the pod has closed its streams',
        streamsClosedWithinMs,
      );
      await link.mend();
    });
  });

  test('a pod is taken out of the load balancer and put back', async () => {
    await runFault('a pod taken out of the load balancer and put back', async () => {
      await cluster.balancer.disablePod('pod-1');
      await delay(3_000);
      expect(await cluster.balancer.listReadyPods()).not.toContain('pod-1');
      await cluster.balancer.enablePod('pod-1');
    });
  });

  test('a pod is frozen while others apply revocations, then continues', async () => {
    await runFault('a pod frozen while others revoke, then continued', async () => {
      cluster.pods[2]!.freeze();
      // The acknowledgement comes from another pod: requests to the frozen pod have no answer.
      await waitForRevocation();
      await delay(pastRevocationMs);
      cluster.pods[2]!.thaw();
    });
  });

  test('a worker is frozen until its locks have expired and others have its jobs, then continues', async () => {
    await runFault('a worker frozen until others have its jobs, then continued', async () => {
      await freezeDuringJob(cluster, cluster.workers[1]!);
      await delay(pastLockMs);
      cluster.workers[1]!.thaw();
    });
  });

  test('a pod and a worker start while Redis is unavailable; they work when Redis is back', async () => {
    await runFault('pods and workers started while Redis is unavailable', async () => {
      const restarted = [cluster.pods[2]!, cluster.workers[1]!];
      await Promise.all([cluster.redis.kill(), cluster.redisLink.refuse(), ...restarted.map((slot) => slot.kill())]);
      await Promise.all(restarted.map((slot) => slot.start()));
      expect(await cluster.balancer.listReadyPods()).not.toContain('pod-2');
      await Promise.all([cluster.redis.start(), cluster.redisLink.mend()]);
      await eventually(async () => (await cluster.balancer.listReadyPods()).length === 3, 'every pod is ready');
    });
  });

  test('there is no fault; after all faults, no store contains a secret', async () => {
    await checkpoints.take('no fault', { searchStores: true, isLast: true });
    // Otherwise checker C6 would have judged almost nothing.
    expect(countRevocations()).toBeGreaterThan(10);
  });
});
