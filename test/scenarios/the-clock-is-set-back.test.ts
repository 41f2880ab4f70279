import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { type ConsoleClient, signIn, testAdmin } from '../drivers/console-client.ts';
import { eventually } from '../drivers/eventually.ts';
import { type ServiceProcess, startService } from '../drivers/service-process.ts';
import { openCheckedTraffic } from '../faults/failpoints/checked-traffic.ts';
import { arm, failpointFileVariable } from '../faults/failpoints/failpoint.ts';
import { mainsWithFailpoints, whoComesTo } from '../faults/failpoints/start-with-failpoints.ts';
import { openFakeTime } from '../faults/fake-time.ts';

const hourMs = 3_600_000;
const folder = await mkdtemp(join(tmpdir(), 'widget-clock-'));
const time = await openFakeTime(folder);
if (time === null) console.log('*** SKIPPED: a clock cannot be set back without libfaketime ***');
const failpointFile = join(folder, 'failpoint');
let service: ServiceProcess;
const start = async () => {
  const environment = {
    DATA_DIR: join(folder, 'data'),
    ADMIN_PASSWORD: testAdmin.password,
    API_BURST: '100',
    [failpointFileVariable]: failpointFile,
    ...time?.environment,
  };
  service = await startService('api', environment, mainsWithFailpoints.api);
};

afterAll(async () => {
  await service?.stop('SIGKILL');
  await rm(folder, { recursive: true, force: true });
});

const list = (client: ConsoleClient) => client.on(service.url).request('GET', '/api/v1/widgets');
const timeOfService = async (client: ConsoleClient) => Date.parse((await list(client)).headers.get('date') ?? '');

async function setBack(client: ConsoleClient): Promise<void> {
  await time?.set(-hourMs);
  await eventually(async () => (await timeOfService(client)) < Date.now() - hourMs / 2, 'it goes by the new time');
}

/** More than its burst at once, and again where that took so long that none was too many. */
async function askUntilRefused(client: ConsoleClient): Promise<Response> {
  for (;;) {
    const answers = await Promise.all(Array.from({ length: 300 }, () => list(client)));
    const refused = answers.find(({ status }) => status === 429);
    if (refused !== undefined) return refused;
  }
}

async function updatedAtOf(client: ConsoleClient, widgetId: string): Promise<string> {
  const answer = await client.on(service.url).request('GET', `/api/v1/widgets/${widgetId}`);
  return ((await answer.json()) as { updatedAt: string }).updatedAt;
}

it.skipIf(time === null)(
  'a clock set back by an hour disturbs neither order nor sessions, limits or what is left behind',
  async () => {
    await start();
    const client = await signIn(service.url);
    const traffic = await openCheckedTraffic({ client, pods: () => [service] });
    const [widgetId = ''] = traffic.widgetIds;
    await traffic.send();
    await traffic.allTold();
    const updatedAt = await updatedAtOf(client, widgetId);
    const refused = await askUntilRefused(client);
    expect(Number(refused.headers.get('retry-after'))).toBeLessThanOrEqual(3);

    await setBack(client);
    await eventually(async () => (await list(client)).status === 200, 'the limit is over as it was told', 5_000);
    expect((await list(await signIn(service.url))).status).toBe(200);
    await traffic.send();
    await traffic.allTold();
    expect(await updatedAtOf(client, widgetId)).toBe(updatedAt);

    // What dies between an insert and its nudge, while the time is right, is left with a time that is still to come.
    await time?.set(0);
    await eventually(async () => (await timeOfService(client)) > Date.now() - hourMs / 2, 'it goes by the right time');
    const armed = arm(failpointFile, { call: 'widgets.insertOnce', when: 'after', act: 'kill' });
    const created = traffic.create();
    expect(await whoComesTo(armed, [service])).toBe(service);
    expect(await service.exited).toBeNull();
    await time?.set(-hourMs);
    await start();
    await traffic.resume();
    await created;
    await traffic.allTold();
    await traffic.send();
    await traffic.allTold();

    const times = traffic.events().map(({ id }) => Number(id.split('.')[1]));
    expect(times).toEqual(times.toSorted((a, b) => a - b));
    await traffic.check();
    traffic.close();
  },
);
