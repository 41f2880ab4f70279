import { afterAll, beforeAll, expect, test } from 'vitest';
import { expectDenseOrder, expectEachHookOnce } from '../checkers/delivered-once-in-order.ts';
import { type ConsoleClient, createWidgets, signIn } from '../drivers/app/console-client.ts';
import { type ClusterRun, openClusterRun } from '../drivers/cluster/cluster-run.ts';
import { setOptions } from '../drivers/cluster/component-options.ts';
import { buildHooks, createHookSender, type SentHook } from '../drivers/cluster/hook-sender.ts';
import { type ServiceProcess, withOrigin } from '../drivers/cluster/service-process.ts';
import { openStream, type StreamEvent } from '../drivers/streams/stream-client.ts';
import { eventually } from '../drivers/tools/eventually.ts';

let run: ClusterRun;
let pods: ServiceProcess[];
let client: ConsoleClient;

beforeAll(async () => {
  run = await openClusterRun();
  // Small, so that positions soon leave the ring, and later the log too.
  const small = setOptions({ ringFrames: 50, eventRetentionCount: 2_000 });
  pods = [await run.startApi(small), await run.startApi(small)];
  await run.startWorker(small);
  client = await signIn(pods[0]!.url);
});
afterAll(() => run.dispose());

const isFromHook = (event: StreamEvent) => event.data.includes('"origin":"hook"');

test('a subscriber that changes pods six times receives every event once and in order, while hooks arrive', async () => {
  const widgetIds = await createWidgets(client, 10);
  const subscription = await client.createSubscription('screen');
  const integration = await client.createIntegration('factory');
  const sender = createHookSender(8);
  const received: StreamEvent[] = [];

  let stream = await openStream(withOrigin(pods[0]!, subscription.url), { lastEventId: 'earliest' });
  const sending = sender.sendAll(buildHooks(widgetIds, 1_500), (index) =>
    withOrigin(pods[index % 2]!, integration.url),
  );
  for (let round = 1; round <= 6; round += 1) {
    const receivedBefore = received.filter(isFromHook).length;
    const countReceived = () => receivedBefore + stream.widgetEvents().filter(isFromHook).length;
    await stream.until(() => countReceived() >= round * 250, `${round * 250} events`);
    stream.close();
    received.push(...stream.widgetEvents());
    stream = await openStream(withOrigin(pods[round % 2]!, subscription.url), { lastEventId: stream.lastEventId() });
    await stream.until(() => stream.events.length > 0, 'stream.open');
    expect(stream.events[0]).toMatchObject({ event: 'stream.open' });
    expect(JSON.parse(stream.events[0]!.data)).toMatchObject({ resumed: true, subscriptionId: subscription.id });
  }
  const sent: SentHook[] = await sending;
  stream.close();
  received.push(...stream.widgetEvents());
  expectEachHookOnce(sent, received);
  expectDenseOrder(received);
  sender.close();
});

test('a subscriber whose position was trimmed receives stream.gap before anything else', async () => {
  const [widgetId = ''] = await createWidgets(client, 1);
  const subscription = await client.createSubscription('screen 2');
  const integration = await client.createIntegration('factory 2');
  const stream = await openStream(withOrigin(pods[0]!, subscription.url));
  await stream.until(() => stream.events.length > 0, 'stream.open');
  const position = stream.lastEventId();
  stream.close();

  const sender = createHookSender(16);
  const sent = await sender.sendAll(buildHooks([widgetId], 3_000), () => withOrigin(pods[0]!, integration.url));
  expect(sent.every((hook) => hook.status === 202)).toBe(true);
  const fetchVersion = async () => {
    const response = await client.request('GET', `/api/v1/widgets/${widgetId}`);
    return ((await response.json()) as { version: number }).version;
  };
  await eventually(async () => (await fetchVersion()) === 3_001, 'every hook has taken effect');
  await eventually(async () => (await run.countOutboxes()) === 0, 'every event is in the log');

  const resumed = await openStream(withOrigin(pods[1]!, subscription.url), { lastEventId: position });
  await resumed.until(() => resumed.events.length > 1, 'stream.gap and stream.open');
  expect(resumed.events.slice(0, 2).map(({ event }) => event)).toEqual(['stream.gap', 'stream.open']);
  const gap = JSON.parse(resumed.events[0]!.data) as { requested: string; resumedFrom: string; reason: string };
  expect(gap).toMatchObject({ requested: position, reason: 'trimmed', resumedFrom: resumed.events[0]!.id });
  await resumed.until(() => resumed.widgetEvents().at(-1)?.data.includes('"version":3001') === true, 'the last event');
  expectDenseOrder(resumed.widgetEvents());
  resumed.close();
  sender.close();
});
