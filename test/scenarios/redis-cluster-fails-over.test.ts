/**
 * The Redis of all pods and workers is a Redis Cluster. A hook is accepted when the replica has it, as is the default.
 * Under load: a planned failover while processes restart, an owner that is killed and comes back as a replica, and one
 * that is frozen for 20 s.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { describe, test } from 'vitest';
import { eventually } from '../drivers/tools/eventually.ts';
import { isHaproxyInstalled } from '../faults/balancer.ts';
import { type FaultRun, useFaultRun } from '../faults/checkpoint.ts';
import type { RedisClusterProcesses } from '../faults/redis-cluster.ts';

describe.runIf(isHaproxyInstalled())('failover of a Redis Cluster', () => {
  let cluster: FaultRun['cluster'];
  let checkpoints: FaultRun['checkpoints'];
  let nodes: RedisClusterProcesses;

  useFaultRun('Redis Cluster', { hasRedisCluster: true, revocationsPerSecond: 0 }, (run) => {
    ({ cluster, checkpoints } = run);
    nodes = cluster.redisCluster as RedisClusterProcesses;
  });

  /** Waits until the replica has everything, so that no hook is refused. Leads what reads the stores to the owner. */
  async function settle(): Promise<void> {
    const { owner, replica } = await nodes.findRoles();
    await eventually(() => replica.isInSync().catch(() => false), 'the replica is in sync', 60_000);
    cluster.redisLink.redirectTo(owner.port);
    cluster.redisLink.cut();
    await cluster.redisLink.mend();
  }

  test.each([
    [
      'planned failover, while pods and workers restart',
      async () => {
        await nodes.failOver();
        await cluster.restartAll();
      },
    ],
    [
      'kill -9 of the owner of the slot, which comes back as a replica',
      async () => {
        const { owner, replica } = await nodes.findRoles();
        await owner.kill();
        await eventually(async () => (await nodes.findRoles()).owner === replica, 'a failover', 40_000);
        await owner.start();
      },
    ],
    [
      'the owner of the slot is frozen for 20 s',
      async () => {
        const { owner, replica } = await nodes.findRoles();
        owner.freeze();
        await eventually(async () => (await nodes.findRoles()).owner === replica, 'a failover', 40_000);
        await delay(15_000);
        owner.thaw();
      },
    ],
  ] as const)('%s: nothing is lost, doubled or out of order', { timeout: 240_000 }, async (fault, happen) => {
    await happen();
    await settle();
    // The last events may be lost: `stream.gap` announces that. No hook is lost.
    await checkpoints.take(`Redis Cluster: ${fault}`, { withinMs: 60_000, gaps: true });
  });
});
