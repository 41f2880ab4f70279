import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, describe, expect, test } from 'vitest';
import { signIn } from '../drivers/app/console-client.ts';
import { type ClusterRun, openClusterRun } from '../drivers/cluster/cluster-run.ts';
import type { ServiceProcess } from '../drivers/cluster/service-process.ts';
import { eventually } from '../drivers/tools/eventually.ts';
import { makeSharedFolder } from '../drivers/tools/shared-folder.ts';
import { startStopwatch } from '../drivers/tools/stopwatch.ts';
import { openCheckedTraffic } from '../faults/failpoints/checked-traffic.ts';
import {
  armFailpoint,
  type Failpoint,
  failpointFileVariable,
  formatFailpoint,
  mainsWithFailpoints,
  shortLocksVariable,
} from '../faults/failpoints/failpoint.ts';
import { countEndedRuns, frozenMs, isInRun, listRunFailpoints } from '../faults/failpoints/run-failpoints.ts';
import { waitForFailpoint } from '../faults/failpoints/wait-for-failpoint.ts';
import { isLong } from '../faults/scale.ts';

const idleWithinMs = 45_000;
const timeout = isLong ? 2_400_000 : 240_000;

const folder = await makeSharedFolder();
const runs: ClusterRun[] = [];
afterAll(() => Promise.all(runs.map((run) => run.dispose())));

async function openRun(name: string) {
  const run = await openClusterRun();
  runs.push(run);
  const file = join(folder, name);
  const pod = await run.startApi();
  const traffic = await openCheckedTraffic({ client: await signIn(pod.url), pods: () => [pod] });
  const startWorker = (extra: Record<string, string> = {}) =>
    run.startWorker({ [failpointFileVariable]: file, ...extra }, mainsWithFailpoints.worker);
  const waitUntilProcessed = async (when = '') => {
    await traffic.waitForEvents(idleWithinMs, when);
    await run.waitUntilProcessed(idleWithinMs, when);
  };
  return { file, traffic, startWorker, waitUntilProcessed };
}

// Concurrent, because these tests mostly wait for locks to expire.
describe.concurrent('a worker', () => {
  test('killed at any step of a run loses no hook, and no event is duplicated or out of order', async () => {
    const { file, traffic, startWorker, waitUntilProcessed } = await openRun('every-step');
    const start = () => startWorker({ [shortLocksVariable]: 'true' });
    let workers: ServiceProcess[] = await Promise.all([start(), start()]);
    for (const failpoint of listRunFailpoints('kill', isLong)) {
      const armed = armFailpoint(file, failpoint);
      await traffic.send();
      const killedWorker = await waitForFailpoint(armed, workers);
      expect(await killedWorker.exited).toBeNull();
      // The other worker finishes the jobs of the killed one, while a replacement starts.
      const isDone = waitUntilProcessed(`after a kill ${formatFailpoint(failpoint)}`);
      const [replacement] = await Promise.all([start(), isDone]);
      workers = [...workers.filter((worker) => worker !== killedWorker), replacement];
    }
    await traffic.check();
    traffic.close();
  });

  test('frozen at any step until another worker is done does nothing twice when it continues', {
    timeout,
  }, async () => {
    const { file, traffic, startWorker, waitUntilProcessed } = await openRun('sleep');
    const start = () => startWorker({ [shortLocksVariable]: String(!isLong) });
    const workers = await Promise.all([start(), start()]);
    for (const failpoint of listRunFailpoints('freeze', isLong)) {
      const armed = armFailpoint(file, failpoint);
      await traffic.send();
      const frozenWorker = await waitForFailpoint(armed, workers);
      await Promise.all([waitUntilProcessed(`during a freeze ${formatFailpoint(failpoint)}`), delay(frozenMs)]);
      // More hooks for the same widgets, so that the frozen worker holds an outdated state when it continues.
      await traffic.send();
      await waitUntilProcessed();
      const endedBefore = countEndedRuns(frozenWorker);
      process.kill(frozenWorker.pid, 'SIGCONT');
      await traffic.send();
      if (isInRun(failpoint)) {
        await eventually(async () => countEndedRuns(frozenWorker) > endedBefore, 'the frozen worker ends its run');
      }
      await waitUntilProcessed();
    }
    expect(await Promise.all(workers.map((worker) => worker.stop()))).toEqual([0, 0]);
    await traffic.check();
    traffic.close();
  });

  test('killed five times on one job: the job takes effect once, within 15 s of the last start', async () => {
    const { file, traffic, startWorker, waitUntilProcessed } = await openRun('five-times');
    let worker: ServiceProcess = await startWorker();
    await waitUntilProcessed();
    const calls = ['effects.load', 'ledger.register', 'effects.apply', 'eventLog.append', 'ledger.markPublished'];
    const failpoints = calls.map((call): Failpoint => ({ call, when: 'after', act: 'kill' }));
    for (const [index, failpoint] of failpoints.entries()) {
      const armed = armFailpoint(file, failpoint);
      if (index === 0) await traffic.post(traffic.widgetIds[0] ?? null);
      expect(await waitForFailpoint(armed, [worker], 20_000)).toBe(worker);
      expect(await worker.exited).toBeNull();
      worker = await startWorker();
    }
    const elapsedMs = startStopwatch();
    await waitUntilProcessed();
    expect(elapsedMs()).toBeLessThanOrEqual(15_000);
    await traffic.check();
    traffic.close();
  });
});
