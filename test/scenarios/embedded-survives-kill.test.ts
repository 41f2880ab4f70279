import { afterAll, beforeAll, expect, test } from 'vitest';
import { expectDenseOrder, expectEachHookOnce } from '../checkers/delivered-once-in-order.ts';
import { createWidgets, signIn, testAdmin } from '../drivers/app/console-client.ts';
import { buildHooks, createHookSender, type SentHook } from '../drivers/cluster/hook-sender.ts';
import { type ServiceProcess, startService, withOrigin } from '../drivers/cluster/service-process.ts';
import { openStream } from '../drivers/streams/stream-client.ts';
import { makeSharedFolder } from '../drivers/tools/shared-folder.ts';

const folder = await makeSharedFolder();
let service: ServiceProcess;
const start = () => startService('api', { DATA_DIR: folder, ADMIN_PASSWORD: testAdmin.password, LOG_LEVEL: 'info' });

beforeAll(async () => {
  service = await start();
});
afterAll(() => service.stop('SIGKILL'));

test('every hook answered 202 has exactly one event after kill -9 under load and a restart', async () => {
  const client = await signIn(service.url);
  const widgetIds = await createWidgets(client, 20);
  const subscription = await client.createSubscription('screen');
  const integration = await client.createIntegration('factory');
  const sender = createHookSender(32);

  let killed: Promise<number | null> | null = null;
  const hooks = buildHooks(widgetIds, 2_000);
  const first: SentHook[] = await sender.sendAll(hooks.slice(0, 1_400), (index) => {
    if (index === 900) killed = service.stop('SIGKILL');
    return withOrigin(service, integration.url);
  });
  expect(await killed).toBeNull();
  expect(first.some((hook) => hook.status === 202)).toBe(true);
  expect(first.some((hook) => hook.status === 0)).toBe(true);

  service = await start();
  const again = await signIn(service.url);
  expect((await again.request('GET', '/api/v1/widgets')).status).toBe(200);
  const second = await sender.sendAll(hooks.slice(1_400), () => withOrigin(service, integration.url));
  expect(second.every((hook) => hook.status === 202)).toBe(true);

  const sent = [...first, ...second];
  const accepted = new Set(sent.filter((hook) => hook.status === 202).map((hook) => hook.eventId));
  const stream = await openStream(withOrigin(service, subscription.url), { lastEventId: 'earliest' });
  const hasAllEvents = () => {
    const receivedIds = new Set(stream.widgetEvents().map((event) => (JSON.parse(event.data) as { id: string }).id));
    return [...accepted].every((id) => receivedIds.has(id ?? ''));
  };
  await stream.until(hasAllEvents, 'an event for every accepted hook', 30_000);
  expectEachHookOnce(sent, stream.widgetEvents());
  expectDenseOrder(stream.widgetEvents());
  stream.close();
  sender.close();
});

test('a second process on the same data folder exits with 78 and says that the folder is in use', async () => {
  await expect(start()).rejects.toThrow(/ended with 78.*in use/s);
});
