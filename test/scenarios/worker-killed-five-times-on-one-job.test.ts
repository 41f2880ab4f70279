import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { signIn } from '../drivers/app/console-client.ts';
import { openClusterRun } from '../drivers/cluster/cluster-run.ts';
import { makeSharedFolder } from '../drivers/tools/shared-folder.ts';
import { startStopwatch } from '../drivers/tools/stopwatch.ts';
import { openCheckedTraffic } from '../faults/failpoints/checked-traffic.ts';
import { armFailpoint, failpointFileVariable, mainsWithFailpoints } from '../faults/failpoints/failpoint.ts';
import { waitForFailpoint } from '../faults/failpoints/wait-for-failpoint.ts';

const idleWithinMs = 45_000;
const file = join(await makeSharedFolder(), 'failpoint');
const run = await openClusterRun();
afterAll(() => run.dispose());

/** With the locks of production. */
const startWorker = () => run.startWorker({ [failpointFileVariable]: file }, mainsWithFailpoints.worker);

test('a job whose worker is killed five times takes effect once, within 15 s of the last start', async () => {
  const pod = await run.startApi();
  const traffic = await openCheckedTraffic({ client: await signIn(pod.url), pods: () => [pod] });
  const waitUntilProcessed = async () => {
    await traffic.waitForEvents(idleWithinMs);
    await run.waitUntilProcessed(idleWithinMs);
  };
  let worker = await startWorker();
  await waitUntilProcessed();
  const calls = ['effects.load', 'ledger.register', 'effects.apply', 'eventLog.append', 'ledger.markPublished'];
  for (const [index, call] of calls.entries()) {
    const armed = armFailpoint(file, { call, when: 'after', act: 'kill' });
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
