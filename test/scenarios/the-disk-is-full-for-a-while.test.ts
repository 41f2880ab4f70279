import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, expect, it } from 'vitest';
import { type ConsoleClient, signIn, testAdmin } from '../drivers/console-client.ts';
import { eventually } from '../drivers/eventually.ts';
import { type ServiceProcess, startService } from '../drivers/service-process.ts';
import { openCheckedTraffic } from '../faults/failpoints/checked-traffic.ts';
import { mainsWithFailpoints } from '../faults/failpoints/start-with-failpoints.ts';
import { openLimitedDisk, openSmallDisk } from '../faults/full-disk.ts';

/** Long enough for every task to meet the full disk. */
const fullMs = 1_000;
const tooMuch = 'too much';
const disks = [
  { name: 'a file system without room', disk: await openSmallDisk() },
  { name: 'a limit on its files', disk: await openLimitedDisk() },
];
const services: ServiceProcess[] = [];
const start = async (folder: string) => {
  const environment = { DATA_DIR: join(folder, 'data'), ADMIN_PASSWORD: testAdmin.password, OUTBOX_SCAN_AGE_MS: '300' };
  const service = await startService('api', environment, mainsWithFailpoints.api);
  services.push(service);
  return service;
};

afterAll(async () => {
  await Promise.all(services.map((service) => service.stop('SIGKILL')));
  await Promise.all(disks.map(({ disk }) => disk?.dispose()));
});

async function expectUnavailable(answer: Response): Promise<void> {
  expect(answer.status).toBe(503);
  expect(answer.headers.get('content-type')).toBe('application/problem+json');
  expect(Number(answer.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
  expect(await answer.json()).toMatchObject({ code: 'unavailable', status: 503 });
}

// Together: each waits for most of the time.
it.concurrent.each(disks)('refuses, loses nothing and goes on by itself: $name', async ({ disk, name }) => {
  if (disk === null) {
    console.log(`*** SKIPPED: a full disk cannot be made here (${name}) ***`);
    return;
  }
  let service = await start(disk.folder);
  const client = await signIn(service.url);
  const integration = await client.createIntegration('refused');
  const traffic = await openCheckedTraffic({ client, pods: () => [service] });
  await traffic.send();
  await traffic.allTold();

  const early = traffic.send();
  await disk.fill(service.pid);
  let taken = 0;
  const create = async () => {
    const answer = await client.createWidget({ name: tooMuch });
    if (answer.status === 201) taken += 1;
    return answer;
  };
  await eventually(async () => (await create()).status === 503, 'creates are refused');
  await expectUnavailable(await create());
  const hook = JSON.stringify({ kind: 'updated', occurredAt: new Date().toISOString() });
  const json = { 'content-type': 'application/json' };
  await expectUnavailable(await fetch(integration.url, { method: 'POST', headers: json, body: hook }));
  await expectUnavailable(
    await fetch(`${service.url}/api/v1/session`, { method: 'POST', headers: json, body: JSON.stringify(testAdmin) }),
  );
  expect((await client.request('GET', '/api/v1/widgets')).status).toBe(200);
  // These repeat what is refused.
  const meanwhile = traffic.send();
  await delay(fullMs);
  expect((await client.request('GET', '/api/v1/widgets')).status).toBe(200);

  // A start finds the disk full, too, and what was acknowledged.
  await service.stop('SIGKILL');
  service = await start(disk.folder);
  await disk.fill(service.pid);
  const same = client.on(service.url);
  expect(await listedNames(same)).toEqual(expect.arrayContaining([...traffic.widgetIds]));
  await expectUnavailable(await same.createWidget({ name: tooMuch }));
  await traffic.resume();
  await delay(fullMs);

  await disk.makeRoom(service.pid);
  await Promise.all([early, meanwhile]);
  await traffic.allTold();
  await traffic.send();
  await traffic.allTold();
  await traffic.check();
  const names = await listedNames(same);
  expect(names.filter((name) => name === tooMuch)).toHaveLength(taken);
  traffic.close();
});

/** Of all widgets the name, and of those of the traffic the id. */
async function listedNames(client: ConsoleClient): Promise<string[]> {
  const answer = await client.request('GET', '/api/v1/widgets?pageSize=100');
  const { items } = (await answer.json()) as { items: { id: string; name: string }[] };
  return items.map(({ id, name }) => (name === tooMuch ? name : id));
}
