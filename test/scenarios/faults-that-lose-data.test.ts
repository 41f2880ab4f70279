import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { type Load, openLoad } from '../drivers/load.ts';
import { isBalancerThere } from '../faults/balancer.ts';
import { createCheckpoints, expectNone } from '../faults/checkpoint.ts';
import { type FaultCluster, openFaultCluster } from '../faults/fault-cluster.ts';
import { reasonsOfGaps } from '../faults/gap-reasons.ts';
import type { Stretch } from '../faults/outage.ts';
import { isLong } from '../faults/scale.ts';

/** How long Redis goes on after the copy was taken to which it returns. */
const sinceCopyMs = isLong ? 10_000 : 4_000;
/** A hook that was accepted before this was run before Redis was lost: the queue is empty most of the time. */
const queuedMaxMs = 3_000;

let cluster: FaultCluster;
let load: Load;
afterEach(async () => {
  await load.close();
  await cluster.dispose();
});

/** A cluster under load loses something of Redis; `lose` returns when what was accepted may be gone. */
async function endureLoss(fault: string, lose: () => Promise<Stretch>): Promise<void> {
  cluster = await openFaultCluster();
  load = await openLoad(cluster, { revocationsPerSecond: 0 });
  const checkpoints = createCheckpoints(fault, cluster, load);
  load.start();
  await delay(3_000);
  const lostQueue = await lose();
  await delay(4_000);
  const { violations } = await checkpoints.take(fault, { gaps: true, lostQueue, isLast: true, withinMs: 60_000 });
  await checkpoints.report();
  expectNone(violations);
  const { 'ahead-of-stream': ahead = 0, ...reasons } = reasonsOfGaps(load.recording);
  expect(reasons).toEqual({ 'epoch-changed': load.streams.length });
  // Who comes back before the next event finds the log that returned, and its end before where it stood.
  expect(ahead).toBeLessThanOrEqual(load.streams.length);
}

async function restartOn(data: () => Promise<void>): Promise<void> {
  await Promise.all([cluster.redis.kill(), cluster.redisLink.refuse()]);
  await data();
  await Promise.all([cluster.redis.start(), cluster.redisLink.mend()]);
}

describe.runIf(isBalancerThere())('what Redis loses is told, and nothing else is lost', () => {
  it('Redis comes back with nothing', async () => {
    await endureLoss('Redis wiped', async () => {
      const fromMs = performance.now() - queuedMaxMs;
      await restartOn(() => cluster.redis.loseData());
      return { fromMs, toMs: performance.now() };
    });
  });

  it('Redis comes back from an older copy of its append-only file, as a replica that was behind would', async () => {
    await endureLoss('Redis back from an older copy', async () => {
      const fromMs = performance.now() - queuedMaxMs;
      await cluster.redis.copyData();
      await delay(sinceCopyMs);
      await restartOn(() => cluster.redis.restoreCopy());
      return { fromMs, toMs: performance.now() };
    });
  });
});
