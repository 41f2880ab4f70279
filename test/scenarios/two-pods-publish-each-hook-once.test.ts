import { afterAll, beforeAll, expect, test } from 'vitest';
import { expectDenseOrder, expectEachHookOnce } from '../checkers/delivered-once-in-order.ts';
import { type ConsoleClient, createWidgets, signIn } from '../drivers/app/console-client.ts';
import { type ClusterRun, openClusterRun } from '../drivers/cluster/cluster-run.ts';
import { buildHooks, createHookSender } from '../drivers/cluster/hook-sender.ts';
import { type ServiceProcess, withOrigin } from '../drivers/cluster/service-process.ts';
import { openStream, type StreamClient } from '../drivers/streams/stream-client.ts';

let run: ClusterRun;
let pods: ServiceProcess[];
let client: ConsoleClient;

beforeAll(async () => {
  run = await openClusterRun();
  pods = [await run.startApi(), await run.startApi()];
  await run.startWorker();
  await run.startWorker();
  client = await signIn(pods[0]!.url);
});
afterAll(() => run.dispose());

const selectHookEvents = (stream: StreamClient) =>
  stream.widgetEvents().filter(({ data }) => data.includes('"origin":"hook"'));

test('every subscriber on both pods receives each of 10 000 hooks once and in order', async () => {
  const widgetIds = await createWidgets(client, 50);
  const subscription = await client.createSubscription('screens');
  const integration = await client.createIntegration('factory');
  const subscribers = await Promise.all(
    Array.from({ length: 40 }, (_, index) => openStream(withOrigin(pods[index % 2]!, subscription.url))),
  );
  await Promise.all(
    subscribers.map((subscriber) => subscriber.until(() => subscriber.events.length > 0, 'stream.open')),
  );

  const sender = createHookSender(32);
  const sent = await sender.sendAll(buildHooks(widgetIds, 10_000), (index) =>
    withOrigin(pods[index % 2]!, integration.url),
  );
  expect(sent.filter((hook) => hook.status !== 202)).toEqual([]);

  for (const subscriber of subscribers) {
    const hasAllEvents = () => subscriber.events.length > 10_000 && selectHookEvents(subscriber).length >= 10_000;
    await subscriber.until(hasAllEvents, '10 000 hook events', 60_000);
  }
  const reference = subscribers[0]!.widgetEvents();
  expectEachHookOnce(sent, reference);
  for (const subscriber of subscribers) expectDenseOrder(subscriber.widgetEvents());
  const joinHookEventIds = (subscriber: StreamClient) =>
    selectHookEvents(subscriber)
      .map(({ id }) => id)
      .join('\n');
  const expectedIds = joinHookEventIds(subscribers[0]!);
  for (const subscriber of subscribers) expect(joinHookEventIds(subscriber) === expectedIds).toBe(true);

  await run.waitUntilProcessed();
  for (const subscriber of subscribers) subscriber.close();
  sender.close();
});
