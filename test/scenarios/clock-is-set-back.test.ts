import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { type ConsoleClient, signIn, testAdmin } from '../drivers/app/console-client.ts';
import { type ServiceProcess, startService } from '../drivers/cluster/service-process.ts';
import { eventually } from '../drivers/tools/eventually.ts';
import { makeSharedFolder } from '../drivers/tools/shared-folder.ts';
import { openCheckedTraffic } from '../faults/failpoints/checked-traffic.ts';
import { armFailpoint, failpointFileVariable, mainsWithFailpoints } from '../faults/failpoints/failpoint.ts';
import { waitForFailpoint } from '../faults/failpoints/wait-for-failpoint.ts';
import { openFakeTime } from '../faults/fake-time.ts';

const hourMs = 3_600_000;
const folder = await makeSharedFolder();
const clock = await openFakeTime(folder);
if (clock === null) console.log('*** SKIPPED: this test needs libfaketime to set a clock back ***');
const failpointFile = join(folder, 'failpoint');
let service: ServiceProcess;
const start = async () => {
  const environment = {
    DATA_DIR: join(folder, 'data'),
    ADMIN_PASSWORD: testAdmin.password,
    // A burst of 100.
    API_RATE_PER_SECOND: '20',
    [failpointFileVariable]: failpointFile,
    ...clock?.environment,
  };
  service = await startService('api', environment, mainsWithFailpoints.api);
};

afterAll(() => service?.stop('SIGKILL'));

const list = (client: ConsoleClient) => client.on(service.url).request('GET', '/api/v1/widgets');
const readServiceTime = async (client: ConsoleClient) => Date.parse((await list(client)).headers.get('date') ?? '');

async function setClockBack(client: ConsoleClient): Promise<void> {
  await clock?.set(-hourMs);
  await eventually(
    async () => (await readServiceTime(client)) < Date.now() - hourMs / 2,
    'the service uses the new time',
  );
}

/** Sends more lists at once than the burst. Repeats that on a slow machine, on which the limit recovers meanwhile. */
async function listUntilRefused(client: ConsoleClient): Promise<Response> {
  for (;;) {
    const answers = await Promise.all(Array.from({ length: 300 }, () => list(client)));
    const refused = answers.find(({ status }) => status === 429);
    if (refused !== undefined) return refused;
  }
}

/** Waits for a permit: an earlier list may have used the last one, and the next one takes 50 ms. */
async function waitForOk(request: () => Promise<Response>, what: string): Promise<Response> {
  let answer = await request();
  const isOk = async () => {
    if (answer.status === 429) answer = await request();
    expect([200, 429]).toContain(answer.status);
    return answer.status === 200;
  };
  await eventually(isOk, what, 5_000);
  return answer;
}

async function fetchUpdatedAt(client: ConsoleClient, widgetId: string): Promise<string> {
  const get = () => client.on(service.url).request('GET', `/api/v1/widgets/${widgetId}`);
  const answer = await waitForOk(get, 'the widget is read within the time of retry-after');
  return ((await answer.json()) as { updatedAt: string }).updatedAt;
}

test.skipIf(clock === null)(
  'after the clock is set back by an hour, events keep their order, sessions and limits work, and no outbox is stuck',
  async () => {
    await start();
    const client = await signIn(service.url);
    const traffic = await openCheckedTraffic({ client, pods: () => [service] });
    const [widgetId = ''] = traffic.widgetIds;
    await traffic.send();
    await traffic.waitForEvents();
    const updatedAt = await fetchUpdatedAt(client, widgetId);
    const refused = await listUntilRefused(client);
    expect(Number(refused.headers.get('retry-after'))).toBeLessThanOrEqual(3);

    await setClockBack(client);
    await waitForOk(() => list(client), 'lists are accepted again within the time of retry-after');
    const again = await signIn(service.url);
    await waitForOk(() => list(again), 'a new session lists widgets within the time of retry-after');
    await traffic.send();
    await traffic.waitForEvents();
    expect(await fetchUpdatedAt(client, widgetId)).toBe(updatedAt);

    // The service dies between an insert and its nudge, at the correct time. Then the outbox is future-dated.
    await clock?.set(0);
    await eventually(
      async () => (await readServiceTime(client)) > Date.now() - hourMs / 2,
      'the service uses the correct time',
    );
    const armed = armFailpoint(failpointFile, { call: 'widgets.insertOnce', when: 'after', act: 'kill' });
    const created = traffic.create();
    expect(await waitForFailpoint(armed, [service])).toBe(service);
    expect(await service.exited).toBeNull();
    await clock?.set(-hourMs);
    await start();
    await traffic.resume();
    await created;
    await traffic.waitForEvents();
    await traffic.send();
    await traffic.waitForEvents();

    const times = traffic.events().map(({ id }) => Number(id.split('.')[1]));
    expect(times).toEqual(times.toSorted((a, b) => a - b));
    await traffic.check();
    traffic.close();
  },
);
