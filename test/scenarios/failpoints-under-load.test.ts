import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../drivers/eventually.ts';
import { type Load, openLoad } from '../drivers/load.ts';
import type { ServiceProcess } from '../drivers/service-process.ts';
import { isBalancerThere } from '../faults/balancer.ts';
import { type Checkpoints, createCheckpoints, expectNone } from '../faults/checkpoint.ts';
import { arm, type Failpoint, failpointFileVariable, shortLocksVariable } from '../faults/failpoints/failpoint.ts';
import { mainsWithFailpoints, whoComesTo } from '../faults/failpoints/start-with-failpoints.ts';
import { everyPlaceInARun, somePlacesInARun } from '../faults/failpoints/steps-of-a-run.ts';
import { type FaultCluster, openFaultCluster } from '../faults/fault-cluster.ts';
import { isLong } from '../faults/scale.ts';
import type { ServiceSlot } from '../faults/service-slot.ts';

/** In the long form the locks are those of production. */
const sleepMs = isLong ? 30_000 : 0;
const takenOverWithinMs = 45_000;
const timeout = isLong ? 2_400_000 : 240_000;
const smallLoad = { hooksPerSecond: 40, createsPerSecond: 5, streams: 20, revocationsPerSecond: 0 };

const placesInRuns = (act: Failpoint['act']) => (isLong ? everyPlaceInARun(act, isLong) : somePlacesInARun(act));
const placesInPods: Failpoint[] = (['widgets.insertOnce', 'hookQueue.enqueue'] as const).flatMap((call) => [
  { call, when: 'during', act: 'kill' },
  { call, when: 'after', act: 'kill' },
]);

describe.runIf(isBalancerThere())('one cluster under load', () => {
  let folder: string;
  let cluster: FaultCluster;
  let load: Load;
  let checkpoints: Checkpoints;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'widget-failpoints-'));
    const environment = {
      [failpointFileVariable]: join(folder, 'failpoint'),
      [shortLocksVariable]: String(!isLong),
      // A creation whose nudge died with its pod is found after this, not after five seconds.
      OUTBOX_SCAN_AGE_MS: '1000',
    };
    cluster = await openFaultCluster({ pods: 2, environment, mains: mainsWithFailpoints });
    load = await openLoad(cluster, smallLoad);
    checkpoints = createCheckpoints('failpoints under load', cluster, load);
    load.start();
  });
  afterAll(async () => {
    await checkpoints?.report();
    await load?.close();
    await cluster?.dispose();
    await rm(folder, { recursive: true, force: true });
  });

  /** The one of all pods and workers that is first at the place. */
  async function whoIsAt(place: Failpoint): Promise<ServiceSlot> {
    const armed = arm(join(folder, 'failpoint'), place);
    const slots = [...cluster.pods, ...cluster.workers];
    const found = await whoComesTo(
      armed,
      slots.map((slot) => slot.process),
    );
    return slots.find((slot) => slot.process === found) as ServiceSlot;
  }

  async function expectNoViolation(fault: string): Promise<void> {
    const { violations } = await checkpoints.take(fault, { withinMs: takenOverWithinMs });
    expectNone(violations);
  }

  it('pods die before they answer', async () => {
    for (const place of placesInPods) {
      const dead = await whoIsAt(place);
      expect(await dead.process.exited).toBeNull();
      await dead.start();
    }
    await expectNoViolation('kill -9 between store and answer');
  });

  it('workers die between the steps of a run', async () => {
    for (const place of placesInRuns('kill')) {
      const dead = await whoIsAt(place);
      expect(await dead.process.exited).toBeNull();
      await dead.start();
    }
    await expectNoViolation('kill -9 between the steps of a run');
  });

  it('workers sleep between the steps of a run until others have done their jobs', { timeout }, async () => {
    for (const place of placesInRuns('freeze')) {
      const sleeper = await whoIsAt(place);
      const jobs = await cluster.run.jobsTaken();
      const others = cluster.workers.filter((worker) => worker !== sleeper).map(({ process }) => process);
      const areDone = async () => jobs.every((jobId) => others.some((other) => hasDone(other, jobId)));
      await Promise.all([eventually(areDone, 'others have done its jobs', takenOverWithinMs), delay(sleepMs)]);
      const endedBefore = endedRuns(sleeper.process);
      sleeper.thaw();
      await eventually(async () => endedRuns(sleeper.process) > endedBefore, 'the sleeper has ended its run');
    }
    await expectNoViolation('SIGSTOP past the lock between the steps');
  });
});

const hasDone = ({ lines }: ServiceProcess, jobId: string) =>
  lines.some((line) => line.msg === 'batch.published' && line.jobId === jobId);

/** One line for every run that has ended, however it did. */
const endedRuns = ({ lines }: ServiceProcess) => lines.filter(({ msg }) => msg?.startsWith('batch.') === true).length;
