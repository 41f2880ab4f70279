import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Load, openLoad } from '../drivers/cluster/load.ts';
import { isHaproxyInstalled } from '../faults/balancer.ts';
import { checkFaultCluster } from '../faults/checked-deployment.ts';
import { type Checkpoints, createCheckpoints, expectNoViolations } from '../faults/checkpoint.ts';
import { type FaultCluster, openFaultCluster } from '../faults/fault-cluster.ts';
import { freezeDuringJob } from '../faults/freeze-during-job.ts';
import { isLong, scale } from '../faults/scale.ts';

const load40 = isLong ? {} : { hooksPerSecond: 40, createsPerSecond: 5, streams: 30 };

describe.runIf(isHaproxyInstalled())(
  'hooks of GitHub, Stripe and Standard Webhooks: nothing is lost or doubled when',
  () => {
    let cluster: FaultCluster;
    let load: Load;
    let checkpoints: Checkpoints;

    beforeAll(async () => {
      cluster = await openFaultCluster({ environment: { DRAIN_DELAY_MS: '500', DRAIN_WINDOW_MS: '1000' } });
      load = await openLoad(cluster, { ...load40, hasForeignSenders: true });
      checkpoints = createCheckpoints('foreign senders', checkFaultCluster(cluster), load);
      load.start();
    });
    afterAll(async () => {
      await checkpoints?.report();
      await load?.close();
      await cluster?.dispose();
    });

    async function runFault(fault: string, damage: () => Promise<void>, options: { isLast?: boolean } = {}) {
      await delay(1_500);
      const acceptedBefore = load.recording.hooks.filter(({ outcome }) => outcome === 'ok').length;
      await damage();
      await delay(1_500);
      const { violations } = await checkpoints.take(fault, { ...options, searchStores: options.isLast ?? false });
      expectNoViolations(violations);
      expect(load.recording.hooks.filter(({ outcome }) => outcome === 'ok').length).toBeGreaterThan(acceptedBefore);
    }

    test('a pod and a worker are killed', async () => {
      await runFault('foreign senders: kill -9 of a pod and of a worker', async () => {
        await cluster.pods[0]!.kill();
        await freezeDuringJob(cluster, cluster.workers[0]!);
        await cluster.workers[0]!.kill();
        await Promise.all([cluster.pods[0]!.start(), cluster.workers[0]!.start()]);
      });
    });

    test('Redis is killed and restarts with its file', async () => {
      await runFault('foreign senders: kill -9 of Redis', async () => {
        await Promise.all([cluster.redis.kill(), cluster.redisLink.refuse()]);
        await delay(scale.redisDownMs);
        await Promise.all([cluster.redis.start(), cluster.redisLink.mend()]);
      });
    });

    test('replies are cut off after the commands arrived; no store has a secret of a sender', async () => {
      const cut = async () => {
        for (let times = 0; times < 5; times += 1) {
          cluster.redisLink.cutReplies(2);
          await delay(400);
        }
      };
      await runFault('foreign senders: replies of Redis cut off', cut, { isLast: true });
      const refused = load.recording.hooks.filter(({ refusal }) => refusal !== null);
      // Each sender is understood all the time: what is refused is refused because of the faults.
      expect(refused.filter(({ status }) => status === 400)).toEqual([]);
    });
  },
);
