import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { type ConsoleClient, signIn } from '../drivers/app/console-client.ts';
import { type ClusterRun, openClusterRun } from '../drivers/cluster/cluster-run.ts';
import { makeSharedFolder } from '../drivers/tools/shared-folder.ts';
import { openCheckedTraffic } from '../faults/failpoints/checked-traffic.ts';
import { armFailpoint, failpointFileVariable, mainsWithFailpoints } from '../faults/failpoints/failpoint.ts';
import { waitForFailpoint } from '../faults/failpoints/wait-for-failpoint.ts';
import { openFakeTime } from '../faults/fake-time.ts';

const fiveMinutesMs = 300_000;
const folder = await makeSharedFolder();
const failpointFile = join(folder, 'failpoint');

async function openClock(name: string, aheadMs: number) {
  await mkdir(join(folder, name));
  const clock = await openFakeTime(join(folder, name));
  await clock?.set(aheadMs);
  return clock;
}
const ahead = await openClock('ahead', fiveMinutesMs);
const behind = await openClock('behind', -fiveMinutesMs);
if (ahead === null) console.log('*** SKIPPED: this test needs libfaketime to set wrong clocks ***');

let run: ClusterRun;
afterAll(() => run?.dispose());

async function listWidgetIds(client: ConsoleClient): Promise<string[]> {
  const answer = await client.request('GET', '/api/v1/widgets?pageSize=100');
  return ((await answer.json()) as { items: { id: string }[] }).items.map(({ id }) => id);
}

test.skipIf(ahead === null)(
  'pods and workers whose clocks are five minutes ahead or behind lose, duplicate and reorder nothing',
  async () => {
    run = await openClusterRun();
    const aheadEnvironment = { ...ahead?.environment, [failpointFileVariable]: failpointFile };
    const [podAhead, podBehind] = await Promise.all([
      run.startApi(aheadEnvironment, mainsWithFailpoints.api),
      run.startApi(behind?.environment),
      run.startWorker(ahead?.environment),
      run.startWorker(behind?.environment),
    ]);
    let pods = [podAhead, podBehind];
    const client = await signIn(podAhead.url);
    expect(Date.parse((await listWidgets(client, podAhead.url)).headers.get('date') ?? '')).toBeGreaterThan(
      Date.parse((await listWidgets(client, podBehind.url)).headers.get('date') ?? '') + fiveMinutesMs,
    );
    const traffic = await openCheckedTraffic({ client, pods: () => pods.toReversed() });
    for (let round = 0; round < 5; round += 1) {
      await traffic.send();
      await traffic.waitForEvents();
    }
    for (const pod of pods) {
      const reader = await signIn(pod.url);
      for (const other of pods) {
        expect(new Set(await listWidgetIds(reader.on(other.url)))).toEqual(new Set(traffic.widgetIds));
      }
    }

    // The pod whose clock is ahead leaves an outbox. One worker sees a time in the future, and the other one does not.
    const armed = armFailpoint(failpointFile, { call: 'widgets.insertOnce', when: 'after', act: 'kill' });
    pods = [podAhead];
    const created = traffic.create();
    expect(await waitForFailpoint(armed, [podAhead])).toBe(podAhead);
    expect(await podAhead.exited).toBeNull();
    pods = [podBehind];
    await created;
    await traffic.waitForEvents();
    await traffic.send();
    await traffic.waitForEvents();
    await run.waitUntilProcessed();
    await traffic.check();
    traffic.close();
  },
);

const listWidgets = (client: ConsoleClient, url: string) => client.on(url).request('GET', '/api/v1/widgets');
