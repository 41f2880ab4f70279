import { spawnSync } from 'node:child_process';
import { realpath } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Load, openLoad } from '../drivers/cluster/load.ts';
import { eventually } from '../drivers/tools/eventually.ts';
import { checkFaultCluster } from '../faults/checked-deployment.ts';
import { type Checkpoints, createCheckpoints } from '../faults/checkpoint.ts';
import { type FaultCluster, openFaultCluster } from '../faults/fault-cluster.ts';
import { countGapReasons } from '../faults/recording-queries.ts';
import type { ServiceSlot } from '../faults/service-slot.ts';
import { oldCheckoutVariable } from './old-checkout.ts';

const oldRoot = process.env[oldCheckoutVariable] ?? '';
const newRoot = fileURLToPath(new URL('../../', import.meta.url));
/** How long the load runs on each mixture of versions. */
const mixedMs = 4_000;

let cluster: FaultCluster;
let load: Load;
let checkpoints: Checkpoints;

beforeAll(async () => {
  if (oldRoot === '') throw new Error(`${oldCheckoutVariable} names no checkout: use npm run scenarios:upgrade`);
  const environment = { DRAIN_DELAY_MS: '1500' };
  cluster = await openFaultCluster({ root: oldRoot, environment });
  load = await openLoad(cluster, { revocationsPerSecond: 0.2 });
  checkpoints = createCheckpoints('rolling upgrade', checkFaultCluster(cluster), load);
  load.start();
});
afterAll(async () => {
  await checkpoints?.report();
  await load?.close();
  await cluster?.dispose();
});

/** Replaces the processes one by one, as a rolling update does. */
async function roll(slots: readonly ServiceSlot[], root: string): Promise<void> {
  for (const slot of slots) {
    expect(await slot.stop()).toBe(0);
    await slot.start({}, root);
    // Otherwise a mistake in the drivers could run one version everywhere.
    if (process.platform === 'linux') {
      expect(await realpath(`/proc/${slot.process.pid}/cwd`)).toBe(await realpath(root));
    }
    const areAllReady = async () => (await cluster.balancer.listReadyPods()).length === cluster.pods.length;
    await eventually(areAllReady, 'the load balancer sends requests to all pods');
  }
}

/** Rolls under load, lets the load run on, and runs every checker over everything since the start. */
async function rollAndCheck(title: string, slots: readonly ServiceSlot[], root: string): Promise<void> {
  await roll(slots, root);
  await delay(mixedMs);
  await checkpoints.take(title);
  expect(countGapReasons(load.recording)).toEqual({});
}

test('an upgrade and a downgrade, process by process and under load, break no promise', {
  timeout: 600_000,
}, async () => {
  const [firstPod, ...otherPods] = cluster.pods;
  const [firstWorker, ...otherWorkers] = cluster.workers;
  await rollAndCheck('all old', [], oldRoot);
  const { MONGODB_URL, REDIS_URL } = cluster.run.environment;
  const env = { PATH: process.env.PATH, MONGODB_URL, REDIS_URL };
  const migration = spawnSync(process.execPath, ['apps/worker/src/migrate.ts'], { cwd: newRoot, env });
  expect(migration.status).toBe(0);
  // The order of the upgrade guide: workers before pods.
  await rollAndCheck('upgrade: one worker new', [firstWorker!], newRoot);
  await rollAndCheck('upgrade: all workers new', otherWorkers, newRoot);
  await rollAndCheck('upgrade: one pod new', [firstPod!], newRoot);
  await rollAndCheck('upgrade: all new', otherPods, newRoot);
  // Back in the other order: pods before workers.
  await rollAndCheck('downgrade: one pod old', [firstPod!], oldRoot);
  await rollAndCheck('downgrade: all pods old', otherPods, oldRoot);
  await rollAndCheck('downgrade: one worker old', [firstWorker!], oldRoot);
  await rollAndCheck('downgrade: all old', otherWorkers, oldRoot);
  // Not the order of the guide, but what happens if both are updated at once.
  await roll([firstPod!], newRoot);
  await rollAndCheck('side by side: old and new pods, old and new workers', [firstWorker!], newRoot);
  await checkpoints.take('no more changes', { searchStores: true, isLast: true });
});
