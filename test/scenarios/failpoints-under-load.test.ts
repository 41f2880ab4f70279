import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it as test } from 'vitest';
import { setOptions } from '../drivers/cluster/component-options.ts';
import { type Load, openLoad } from '../drivers/cluster/load.ts';
import type { ServiceProcess } from '../drivers/cluster/service-process.ts';
import { eventually } from '../drivers/tools/eventually.ts';
import { isHaproxyInstalled } from '../faults/balancer.ts';
import { checkFaultCluster } from '../faults/checked-deployment.ts';
import { type Checkpoints, createCheckpoints } from '../faults/checkpoint.ts';
import {
  armFailpoint,
  type Failpoint,
  failpointFileVariable,
  mainsWithFailpoints,
  shortLocksVariable,
} from '../faults/failpoints/failpoint.ts';
import { countEndedRuns, frozenMs, listRunFailpoints } from '../faults/failpoints/run-failpoints.ts';
import { waitForFailpoint } from '../faults/failpoints/wait-for-failpoint.ts';
import { type FaultCluster, openFaultCluster } from '../faults/fault-cluster.ts';
import { isLong } from '../faults/scale.ts';
import type { ServiceSlot } from '../faults/service-slot.ts';

const idleWithinMs = 45_000;
const timeout = isLong ? 2_400_000 : 240_000;
const smallLoad = { hooksPerSecond: 40, createsPerSecond: 5, streams: 20, revocationsPerSecond: 0 };

const requestFailpoints: Failpoint[] = (['widgets.insertOnce', 'hookQueue.enqueue'] as const).flatMap((call) => [
  { call, when: 'during', act: 'kill' },
  { call, when: 'after', act: 'kill' },
]);

describe.runIf(isHaproxyInstalled())('a cluster under load breaks no promise when', () => {
  let folder: string;
  let cluster: FaultCluster;
  let load: Load;
  let checkpoints: Checkpoints;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'widget-failpoints-'));
    const environment = {
      [failpointFileVariable]: join(folder, 'failpoint'),
      [shortLocksVariable]: String(!isLong),
      // The scanner finds an outbox whose nudge was lost with its pod after this time instead of 5 s.
      ...setOptions({ outboxScanAgeMs: 1_000 }),
    };
    cluster = await openFaultCluster({ pods: 2, environment, mains: mainsWithFailpoints });
    load = await openLoad(cluster, smallLoad);
    checkpoints = createCheckpoints('failpoints under load', checkFaultCluster(cluster), load);
    load.start();
  });
  afterAll(async () => {
    await checkpoints?.report();
    await load?.close();
    await cluster?.dispose();
    await rm(folder, { recursive: true, force: true });
  });

  /** Arms the failpoint. Resolves with the pod or worker that reaches it first. */
  async function runIntoFailpoint(failpoint: Failpoint): Promise<ServiceSlot> {
    const armed = armFailpoint(join(folder, 'failpoint'), failpoint);
    const slots = [...cluster.pods, ...cluster.workers];
    const stopped = await waitForFailpoint(
      armed,
      slots.map((slot) => slot.process),
    );
    return slots.find((slot) => slot.process === stopped) as ServiceSlot;
  }

  async function expectCheckpointPasses(fault: string): Promise<void> {
    await checkpoints.take(fault, { withinMs: idleWithinMs });
  }

  test('pods are killed before they answer', async () => {
    for (const failpoint of requestFailpoints) {
      const killed = await runIntoFailpoint(failpoint);
      expect(await killed.process.exited).toBeNull();
      await killed.start();
    }
    await expectCheckpointPasses('processes killed between a store call and its answer');
  });

  test('workers are killed at every step of a run', async () => {
    for (const failpoint of listRunFailpoints('kill', isLong)) {
      const killed = await runIntoFailpoint(failpoint);
      expect(await killed.process.exited).toBeNull();
      await killed.start();
    }
    await expectCheckpointPasses('workers killed between two steps of a run');
  });

  test('workers are frozen at every step of a run until others have done their jobs', { timeout }, async () => {
    for (const failpoint of listRunFailpoints('freeze', isLong)) {
      const frozenWorker = await runIntoFailpoint(failpoint);
      const jobs = await cluster.run.listStartedJobs();
      const others = cluster.workers.filter((worker) => worker !== frozenWorker).map(({ process }) => process);
      const areJobsDone = async () => jobs.every((jobId) => others.some((other) => hasDone(other, jobId)));
      await Promise.all([eventually(areJobsDone, 'other workers have done its jobs', idleWithinMs), delay(frozenMs)]);
      const endedBefore = countEndedRuns(frozenWorker.process);
      frozenWorker.thaw();
      await eventually(
        async () => countEndedRuns(frozenWorker.process) > endedBefore,
        'the frozen worker ends its run',
      );
    }
    await expectCheckpointPasses('workers that sleep past their locks between two steps');
  });
});

const hasDone = ({ lines }: ServiceProcess, jobId: string) =>
  lines.some((line) => line.msg === 'batch.published' && line.jobId === jobId);
