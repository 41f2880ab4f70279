import { afterAll, beforeAll, expect, test } from 'vitest';
import { expectDenseOrder } from '../checkers/delivered-once-in-order.ts';
import { type ConsoleClient, createWidgets, signIn } from '../drivers/app/console-client.ts';
import { type ClusterRun, openClusterRun } from '../drivers/cluster/cluster-run.ts';
import { buildHooks, createHookSender } from '../drivers/cluster/hook-sender.ts';
import { type ServiceProcess, withOrigin } from '../drivers/cluster/service-process.ts';
import { openStream } from '../drivers/streams/stream-client.ts';
import { type RedisProcess, startRedis } from '../faults/redis-process.ts';

let redis: RedisProcess;
let run: ClusterRun;
let pods: ServiceProcess[];
let client: ConsoleClient;

beforeAll(async () => {
  redis = await startRedis();
  run = await openClusterRun({ redisUrl: redis.url });
  pods = [await run.startApi(), await run.startApi()];
  await run.startWorker();
  client = await signIn(pods[0]!.url);
});
afterAll(async () => {
  await run.dispose();
  await redis.dispose();
});

test('when Redis comes back empty, streams end, resumed streams get stream.gap, and no hook is lost', async () => {
  const [widgetId = ''] = await createWidgets(client, 1);
  const subscription = await client.createSubscription('screen');
  const integration = await client.createIntegration('factory');
  const stream = await openStream(withOrigin(pods[1]!, subscription.url));
  await stream.until(() => stream.events.length > 0, 'stream.open');
  const sender = createHookSender(4);
  const hooks = buildHooks([widgetId], 60);
  const sent = await sender.sendAll(hooks.slice(0, 30), (index) => withOrigin(pods[index % 2]!, integration.url));
  expect(sent.every((hook) => hook.status === 202)).toBe(true);
  await stream.until(
    () => stream.widgetEvents().at(-1)?.data.includes('"version":31') === true,
    'the first thirty hooks',
  );
  await run.waitUntilProcessed();

  await redis.kill();
  await redis.deleteData();
  await redis.start();

  await stream.ended;
  expect(stream.events.at(-1)?.data).toBe('{"reason":"resync"}');
  const resume = async () => {
    const opened = await openStream(withOrigin(pods[0]!, subscription.url), { lastEventId: stream.lastEventId() });
    await opened.until(() => opened.events.length > 1, 'two messages');
    return opened;
  };
  let resumed = await resume();
  // This pod may notice the loss later than the other one. Until then it opens the stream, and ends it when it notices.
  while (resumed.events[1]?.data === '{"reason":"resync"}') resumed = await resume();
  expect(resumed.events.slice(0, 2).map(({ event }) => event)).toEqual(['stream.gap', 'stream.open']);
  expect(JSON.parse(resumed.events[0]!.data)).toMatchObject({ reason: 'epoch-changed' });

  const after = await sender.sendAll(hooks.slice(30), (index) => withOrigin(pods[index % 2]!, integration.url));
  expect(after.every((hook) => hook.status === 202)).toBe(true);
  await resumed.until(() => resumed.widgetEvents().length >= 30, 'the last thirty hooks');
  expectDenseOrder(resumed.widgetEvents());
  const widget = (await (await client.request('GET', `/api/v1/widgets/${widgetId}`)).json()) as { version: number };
  expect(widget.version).toBe(61);
  resumed.close();
  sender.close();
});
