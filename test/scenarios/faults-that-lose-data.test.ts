import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, describe, expect, test } from 'vitest';
import { type Load, openLoad } from '../drivers/cluster/load.ts';
import { isHaproxyInstalled } from '../faults/balancer.ts';
import { checkFaultCluster } from '../faults/checked-deployment.ts';
import { createCheckpoints } from '../faults/checkpoint.ts';
import { type FaultCluster, openFaultCluster } from '../faults/fault-cluster.ts';
import { countGapReasons, type TimeRange } from '../faults/recording-queries.ts';
import { isLong } from '../faults/scale.ts';

/** How long Redis runs between the copy and the return to it. */
const sinceCopyMs = isLong ? 10_000 : 4_000;
/** A hook waits in the queue at most this long. So a hook that was accepted earlier was processed before the loss. */
const queuedMaxMs = 3_000;

let cluster: FaultCluster;
let load: Load;
afterEach(async () => {
  await load.close();
  await cluster.dispose();
});

/** Runs a cluster under load that loses Redis data. `lose` returns the range whose accepted hooks may be lost. */
async function runLoss(fault: string, lose: () => Promise<TimeRange>): Promise<void> {
  cluster = await openFaultCluster();
  load = await openLoad(cluster, { revocationsPerSecond: 0 });
  const checkpoints = createCheckpoints(fault, checkFaultCluster(cluster), load);
  load.start();
  await delay(3_000);
  const lostQueue = await lose();
  await delay(4_000);
  await checkpoints
    .take(fault, { gaps: true, lostQueue, isLast: true, withinMs: 60_000 })
    .finally(() => checkpoints.report());
  const { 'ahead-of-stream': ahead = 0, ...reasons } = countGapReasons(load.recording);
  expect(reasons).toEqual({ 'epoch-changed': load.streams.length });
  // A stream that reconnects before the next append finds the old log, whose end is behind the stream's position.
  expect(ahead).toBeLessThanOrEqual(load.streams.length);
}

/** Restarts Redis and replaces its data meanwhile. */
async function restartRedis(replaceData: () => Promise<void>): Promise<void> {
  await Promise.all([cluster.redis.kill(), cluster.redisLink.refuse()]);
  await replaceData();
  await Promise.all([cluster.redis.start(), cluster.redisLink.mend()]);
}

describe.runIf(isHaproxyInstalled())('each subscriber receives stream.gap, and nothing else is lost, when', () => {
  test('Redis comes back empty', async () => {
    await runLoss('Redis comes back empty', async () => {
      const fromMs = performance.now() - queuedMaxMs;
      await restartRedis(() => cluster.redis.deleteData());
      return { fromMs, toMs: performance.now() };
    });
  });

  test('Redis comes back from an older copy of its append-only file, like a replica that was behind', async () => {
    await runLoss('Redis comes back from an older copy', async () => {
      const fromMs = performance.now() - queuedMaxMs;
      await cluster.redis.copyData();
      await delay(sinceCopyMs);
      await restartRedis(() => cluster.redis.restoreCopy());
      return { fromMs, toMs: performance.now() };
    });
  });
});
