import { afterAll, beforeAll, expect, it } from 'vitest';
import { expectDenseOrder, expectEachHookOnce } from '../checkers/delivered-once-in-order.ts';
import { type ClusterRun, openClusterRun } from '../drivers/cluster-run.ts';
import { type ConsoleClient, signIn } from '../drivers/console-client.ts';
import { eventually } from '../drivers/eventually.ts';
import { createHookSender } from '../drivers/hook-sender.ts';
import { onPod, type ServiceProcess } from '../drivers/service-process.ts';
import { openStream } from '../drivers/stream-client.ts';
import { createWidgets, hooksOver } from '../drivers/traffic.ts';

let run: ClusterRun;
let pods: ServiceProcess[];
let workers: ServiceProcess[];
let client: ConsoleClient;

beforeAll(async () => {
  run = await openClusterRun();
  pods = [await run.startApi(), await run.startApi()];
  workers = [await run.startWorker(), await run.startWorker()];
  client = await signIn(pods[0]!.url);
});
afterAll(() => run.dispose());

it('every subscriber on both pods receives each of 10 000 hooks once and in order', async () => {
  const widgetIds = await createWidgets(client, 50);
  const subscription = await client.createSubscription('screens');
  const integration = await client.createIntegration('factory');
  const subscribers = await Promise.all(
    Array.from({ length: 40 }, (_, index) => openStream(onPod(pods[index % 2]!, subscription.url))),
  );
  await Promise.all(subscribers.map((each) => each.until(() => each.events.length > 0, 'stream.open')));

  const sender = createHookSender(32);
  const sent = await sender.sendAll(hooksOver(widgetIds, 10_000), (index) => onPod(pods[index % 2]!, integration.url));
  expect(sent.filter((hook) => hook.status !== 202)).toEqual([]);

  const count = (events: readonly { data: string }[]) =>
    events.filter((each) => each.data.includes('"origin":"hook"')).length;
  for (const each of subscribers) {
    await each.until(() => each.events.length > 10_000 && count(each.events) >= 10_000, '10 000 hook events', 60_000);
  }
  const reference = subscribers[0]!.widgetEvents();
  expectEachHookOnce(sent, reference);
  for (const each of subscribers) expectDenseOrder(each.widgetEvents());
  const idsOf = (events: readonly { id: string }[]) => events.map((event) => event.id).join('\n');
  const hookEvents = (each: (typeof subscribers)[number]) =>
    each.widgetEvents().filter((e) => e.data.includes('"origin":"hook"'));
  const expected = idsOf(hookEvents(subscribers[0]!));
  for (const each of subscribers) expect(idsOf(hookEvents(each)) === expected).toBe(true);

  await eventually(async () => (await run.jobsLeft()) === 0, 'the queue is empty');
  await eventually(async () => (await run.outboxesLeft()) === 0, 'the outboxes are empty');
  for (const each of subscribers) each.close();
  sender.close();
});

it('a worker killed in the middle and started again loses and doubles nothing, and all is done within 15 s', async () => {
  const widgetIds = await createWidgets(client, 50);
  const subscription = await client.createSubscription('screens 2');
  const integration = await client.createIntegration('factory 2');
  const stream = await openStream(onPod(pods[1]!, subscription.url));
  await stream.until(() => stream.events.length > 0, 'stream.open');

  const sender = createHookSender(32);
  let killed: Promise<number | null> | null = null;
  const sending = sender.sendAll(hooksOver(widgetIds, 10_000), (index) => {
    if (index === 4_000) killed = workers[0]!.stop('SIGKILL');
    return onPod(pods[index % 2]!, integration.url);
  });
  const sent = await sending;
  expect(await killed).toBeNull();
  expect(sent.filter((hook) => hook.status !== 202)).toEqual([]);
  workers[0] = await run.startWorker();

  const isDone = () => stream.widgetEvents().filter((each) => each.data.includes('"origin":"hook"')).length >= 10_000;
  await stream.until(isDone, 'all events within 15 s of the restart', 15_000);
  await eventually(async () => (await run.jobsLeft()) === 0, 'the queue is empty');
  await eventually(async () => (await run.outboxesLeft()) === 0, 'the outboxes are empty');
  expectEachHookOnce(sent, stream.widgetEvents());
  expectDenseOrder(stream.widgetEvents());
  stream.close();
  sender.close();
});
