import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ClusterRun, openClusterRun } from '../drivers/cluster-run.ts';
import { signIn } from '../drivers/console-client.ts';
import { eventually } from '../drivers/eventually.ts';
import type { ServiceProcess } from '../drivers/service-process.ts';
import { startStopwatch } from '../drivers/stopwatch.ts';
import { openCheckedTraffic } from '../faults/failpoints/checked-traffic.ts';
import {
  arm,
  type Failpoint,
  failpointFileVariable,
  nameOf,
  shortLocksVariable,
} from '../faults/failpoints/failpoint.ts';
import { mainsWithFailpoints, whoComesTo } from '../faults/failpoints/start-with-failpoints.ts';
import { everyPlaceInARun } from '../faults/failpoints/steps-of-a-run.ts';
import { isLong } from '../faults/scale.ts';

/** In the long form the locks are those of production. */
const sleepMs = isLong ? 30_000 : 0;
const takenOverWithinMs = 45_000;
const timeout = isLong ? 2_400_000 : 240_000;

let folder: string;
const runs: ClusterRun[] = [];
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'widget-failpoints-'));
});
afterAll(async () => {
  await Promise.all(runs.map((run) => run.dispose()));
  await rm(folder, { recursive: true, force: true });
});

async function openRun(name: string) {
  const run = await openClusterRun();
  runs.push(run);
  const file = join(folder, name);
  const pod = await run.startApi();
  const traffic = await openCheckedTraffic({ client: await signIn(pod.url), pods: () => [pod] });
  const startWorker = (extra: Record<string, string> = {}) =>
    run.startWorker({ [failpointFileVariable]: file, ...extra }, mainsWithFailpoints.worker);
  const settled = async (when = '') => {
    await traffic.allTold(takenOverWithinMs, when);
    await eventually(async () => (await run.jobsLeft()) === 0, `the queue is empty ${when}`, takenOverWithinMs);
    await eventually(async () => (await run.outboxesLeft()) === 0, `the outboxes are empty ${when}`, takenOverWithinMs);
  };
  return { file, traffic, startWorker, settled };
}

/** One line for every run that has ended, however it did. */
const endedRuns = ({ lines }: ServiceProcess) => lines.filter(({ msg }) => msg?.startsWith('batch.') === true).length;

// Together: they wait for locks most of the time.
describe.concurrent('a worker', () => {
  it('that dies at any step leaves nothing undone, doubled or out of order', async () => {
    const { file, traffic, startWorker, settled } = await openRun('every-step');
    const start = () => startWorker({ [shortLocksVariable]: 'true' });
    let workers: ServiceProcess[] = await Promise.all([start(), start()]);
    for (const place of everyPlaceInARun('kill', isLong)) {
      const armed = arm(file, place);
      await traffic.send();
      const dead = await whoComesTo(armed, workers);
      expect(await dead.exited).toBeNull();
      // The other one finishes what it left, while its successor starts.
      const [successor] = await Promise.all([start(), settled(`after a death ${nameOf(place)}`)]);
      workers = [...workers.filter((worker) => worker !== dead), successor];
    }
    await traffic.check();
    traffic.close();
  });

  it('that sleeps at any step until its successor is done does nothing twice when it wakes', { timeout }, async () => {
    const { file, traffic, startWorker, settled } = await openRun('sleep');
    const start = () => startWorker({ [shortLocksVariable]: String(!isLong) });
    const workers = await Promise.all([start(), start()]);
    for (const place of everyPlaceInARun('freeze', isLong)) {
      const armed = arm(file, place);
      await traffic.send();
      const sleeper = await whoComesTo(armed, workers);
      await Promise.all([settled(`during a sleep ${nameOf(place)}`), delay(sleepMs)]);
      // More for the same widgets, so that what it wakes up to is newer than what it knew.
      await traffic.send();
      await settled();
      const endedBefore = endedRuns(sleeper);
      process.kill(sleeper.pid, 'SIGCONT');
      await traffic.send();
      await eventually(async () => endedRuns(sleeper) > endedBefore, 'the sleeper has ended its run');
      await settled();
    }
    expect(await Promise.all(workers.map((worker) => worker.stop()))).toEqual([0, 0]);
    await traffic.check();
    traffic.close();
  });

  it('that is killed five times on one job has it done once, within 15 s of the last start', async () => {
    const { file, traffic, startWorker, settled } = await openRun('five-times');
    let worker: ServiceProcess = await startWorker();
    await settled();
    const after = ['runs.startRun', 'effects.claim', 'effects.apply', 'eventLog.append', 'ledger.markPublished'];
    const places = after.map((call): Failpoint => ({ call, when: 'after', act: 'kill' }));
    for (const [index, place] of places.entries()) {
      const armed = arm(file, place);
      if (index === 0) await traffic.post(traffic.widgetIds[0] ?? null);
      expect(await whoComesTo(armed, [worker], 20_000)).toBe(worker);
      expect(await worker.exited).toBeNull();
      worker = await startWorker();
    }
    const elapsedMs = startStopwatch();
    await settled();
    expect(elapsedMs()).toBeLessThanOrEqual(15_000);
    await traffic.check();
    traffic.close();
  });
});
