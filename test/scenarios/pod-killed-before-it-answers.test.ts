import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { signIn } from '../drivers/app/console-client.ts';
import { type ClusterRun, openClusterRun } from '../drivers/cluster/cluster-run.ts';
import { setOptions } from '../drivers/cluster/component-options.ts';
import type { ServiceProcess } from '../drivers/cluster/service-process.ts';
import { makeSharedFolder } from '../drivers/tools/shared-folder.ts';
import { openCheckedTraffic } from '../faults/failpoints/checked-traffic.ts';
import {
  armFailpoint,
  type Failpoint,
  failpointFileVariable,
  mainsWithFailpoints,
} from '../faults/failpoints/failpoint.ts';
import { waitForFailpoint } from '../faults/failpoints/wait-for-failpoint.ts';

const folder = await makeSharedFolder();
let run: ClusterRun;
let survivor: ServiceProcess;
beforeAll(async () => {
  run = await openClusterRun();
  [survivor] = await Promise.all([run.startApi(), run.startWorker(setOptions({ outboxScanAgeMs: 300 }))]);
});
afterAll(() => run.dispose());

const failpoints: Failpoint[] = (['during', 'after'] as const).flatMap((when) => [
  { call: 'widgets.insertOnce', when, act: 'kill' },
  { call: 'hookQueue.enqueue', when, act: 'kill' },
]);

test('a request that is repeated after its pod was killed has one effect: one widget, one event per hook', async () => {
  const file = join(folder, 'pod');
  let pods = [survivor];
  const traffic = await openCheckedTraffic({ client: await signIn(survivor.url), pods: () => pods });
  const [widgetId = ''] = traffic.widgetIds;
  await traffic.waitForEvents();
  for (const failpoint of failpoints) {
    const victim = await run.startApi({ [failpointFileVariable]: file }, mainsWithFailpoints.api);
    const armed = armFailpoint(file, failpoint);
    pods = [victim];
    const answered = failpoint.call === 'widgets.insertOnce' ? traffic.create() : traffic.post(widgetId);
    expect(await waitForFailpoint(armed, [victim])).toBe(victim);
    // No exit code: a signal ended it.
    expect(await victim.exited).toBeNull();
    pods = [survivor];
    await answered;
  }
  await traffic.waitForEvents();
  await run.waitUntilProcessed();
  await traffic.check();
  const { items } = (await (await (await signIn(survivor.url)).request('GET', '/api/v1/widgets')).json()) as {
    items: { id: string }[];
  };
  expect(new Set(items.map(({ id }) => id))).toEqual(new Set(traffic.widgetIds));
  traffic.close();
});
