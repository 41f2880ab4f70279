import { afterAll, beforeAll, expect, test } from 'vitest';
import { expectNoSecretPrinted } from '../checkers/no-secret-leaks.ts';
import { signIn } from '../drivers/app/console-client.ts';
import { type ClusterRun, openClusterRun } from '../drivers/cluster/cluster-run.ts';
import { createHookSender } from '../drivers/cluster/hook-sender.ts';
import { type ServiceProcess, withOrigin } from '../drivers/cluster/service-process.ts';
import { openStream } from '../drivers/streams/stream-client.ts';

let run: ClusterRun;
let pods: ServiceProcess[];
let worker: ServiceProcess;

beforeAll(async () => {
  run = await openClusterRun();
  const drainQuickly = { DRAIN_DELAY_MS: '500' };
  pods = [await run.startApi(drainQuickly), await run.startApi(drainQuickly)];
  worker = await run.startWorker();
});
afterAll(() => run.dispose());

test('on SIGTERM a pod becomes unready, serves on, closes its streams and exits with 0; none misses an event', async () => {
  const client = await signIn(pods[0]!.url);
  const subscription = await client.createSubscription('screen');
  const integration = await client.createIntegration('factory');
  const streams = await Promise.all(
    Array.from({ length: 10 }, () => openStream(withOrigin(pods[0]!, subscription.url))),
  );
  await Promise.all(streams.map((stream) => stream.until(() => stream.events.length > 0, 'stream.open')));
  const sender = createHookSender(2);
  const post = (pod: ServiceProcess, number: number) =>
    sender.send(withOrigin(pod, integration.url), {
      kind: 'updated',
      occurredAt: new Date().toISOString(),
      payload: { number },
    });

  const exited = pods[0]!.stop('SIGTERM');
  while ((await fetch(`${pods[0]!.opsUrl}/readyz`)).status !== 503);
  expect((await post(pods[0]!, 1)).status).toBe(202);
  expect(await exited).toBe(0);

  for (const stream of streams) {
    await stream.ended;
    expect(stream.events.at(-1)).toMatchObject({ event: 'stream.closing', data: '{"reason":"draining"}', id: '' });
  }
  expect((await post(pods[1]!, 2)).status).toBe(202);
  for (const stream of streams) {
    const resumed = await openStream(withOrigin(pods[1]!, subscription.url), { lastEventId: stream.lastEventId() });
    const receivedNumbers = () =>
      [...stream.widgetEvents(), ...resumed.widgetEvents()].map((event) => event.data.match(/"number":(\d)/)?.[1]);
    await resumed.until(() => receivedNumbers().includes('2'), 'the hook after the drain');
    expect(receivedNumbers()).toEqual(['1', '2']);
    resumed.close();
  }
  sender.close();
  expect(await worker.stop('SIGTERM')).toBe(0);
  expect(await pods[1]!.stop('SIGINT')).toBe(0);
  expectNoSecretPrinted([...pods, worker], [subscription.token, integration.token, client.cookie.split('=')[1] ?? '']);
});
