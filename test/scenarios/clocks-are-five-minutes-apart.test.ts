import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { type ClusterRun, openClusterRun } from '../drivers/cluster-run.ts';
import { type ConsoleClient, signIn } from '../drivers/console-client.ts';
import { eventually } from '../drivers/eventually.ts';
import { openCheckedTraffic } from '../faults/failpoints/checked-traffic.ts';
import { arm, failpointFileVariable } from '../faults/failpoints/failpoint.ts';
import { mainsWithFailpoints, whoComesTo } from '../faults/failpoints/start-with-failpoints.ts';
import { openFakeTime } from '../faults/fake-time.ts';

const fiveMinutesMs = 300_000;
const folder = await mkdtemp(join(tmpdir(), 'widget-clocks-'));
const failpointFile = join(folder, 'failpoint');

async function openTime(name: string, aheadMs: number) {
  await mkdir(join(folder, name));
  const time = await openFakeTime(join(folder, name));
  await time?.set(aheadMs);
  return time;
}
const ahead = await openTime('ahead', fiveMinutesMs);
const behind = await openTime('behind', -fiveMinutesMs);
if (ahead === null) console.log('*** SKIPPED: clocks cannot be wrong without libfaketime ***');

let run: ClusterRun;
afterAll(async () => {
  await run?.dispose();
  await rm(folder, { recursive: true, force: true });
});

async function listedIds(client: ConsoleClient): Promise<string[]> {
  const answer = await client.request('GET', '/api/v1/widgets?pageSize=100');
  return ((await answer.json()) as { items: { id: string }[] }).items.map(({ id }) => id);
}

it.skipIf(ahead === null)(
  'pods and workers whose clocks are wrong by five minutes either way keep every promise',
  async () => {
    run = await openClusterRun();
    const aheadOfTime = { ...ahead?.environment, [failpointFileVariable]: failpointFile };
    const [podAhead, podBehind] = await Promise.all([
      run.startApi(aheadOfTime, mainsWithFailpoints.api),
      run.startApi(behind?.environment),
      run.startWorker(ahead?.environment),
      run.startWorker(behind?.environment),
    ]);
    let pods = [podAhead, podBehind];
    const client = await signIn(podAhead.url);
    expect(Date.parse((await listFrom(client, podAhead.url)).headers.get('date') ?? '')).toBeGreaterThan(
      Date.parse((await listFrom(client, podBehind.url)).headers.get('date') ?? '') + fiveMinutesMs,
    );
    const traffic = await openCheckedTraffic({ client, pods: () => pods.toReversed() });
    for (let round = 0; round < 5; round += 1) {
      await traffic.send();
      await traffic.allTold();
    }
    for (const pod of pods) {
      const reader = await signIn(pod.url);
      for (const other of pods) {
        expect(new Set(await listedIds(reader.on(other.url)))).toEqual(new Set(traffic.widgetIds));
      }
    }

    // Left behind by the pod that is ahead, with a time that is still to come for one worker, and has come for the other.
    const armed = arm(failpointFile, { call: 'widgets.insertOnce', when: 'after', act: 'kill' });
    pods = [podAhead];
    const created = traffic.create();
    expect(await whoComesTo(armed, [podAhead])).toBe(podAhead);
    expect(await podAhead.exited).toBeNull();
    pods = [podBehind];
    await created;
    await traffic.allTold();
    await traffic.send();
    await traffic.allTold();
    await eventually(async () => (await run.jobsLeft()) === 0, 'the queue is empty');
    await eventually(async () => (await run.outboxesLeft()) === 0, 'the outboxes are empty');
    await traffic.check();
    traffic.close();
  },
);

const listFrom = (client: ConsoleClient, url: string) => client.on(url).request('GET', '/api/v1/widgets');
