import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ConsoleClient, signIn } from '../drivers/app/console-client.ts';
import { type ClusterRun, openClusterRun } from '../drivers/cluster/cluster-run.ts';
import { setOptions } from '../drivers/cluster/component-options.ts';
import { createHookSender, type HookBody } from '../drivers/cluster/hook-sender.ts';
import { type ServiceProcess, withOrigin } from '../drivers/cluster/service-process.ts';
import { openStream } from '../drivers/streams/stream-client.ts';
import { startStopwatch } from '../drivers/tools/stopwatch.ts';
import { type RedisProcess, startRedis } from '../faults/redis-process.ts';

let redis: RedisProcess;
let run: ClusterRun;
let pods: ServiceProcess[];
let client: ConsoleClient;

beforeAll(async () => {
  redis = await startRedis();
  run = await openClusterRun({ redisUrl: redis.url });
  const environment = setOptions({ heartbeatIntervalMs: 500 });
  pods = [await run.startApi(environment), await run.startApi(environment)];
  await run.startWorker();
  client = await signIn(pods[0]!.url);
});
afterAll(async () => {
  await run.dispose();
  await redis.dispose();
});

test('without Redis, pods list and create widgets, refuse hooks within 2 s, and keep streams open', async () => {
  const subscription = await client.createSubscription('screen');
  const integration = await client.createIntegration('factory');
  const stream = await openStream(withOrigin(pods[1]!, subscription.url));
  await stream.until(() => stream.events.length > 0, 'stream.open');
  let hasEnded = false;
  void stream.ended.then(() => {
    hasEnded = true;
  });
  const sender = createHookSender(4);
  const hook: HookBody = { kind: 'updated', occurredAt: new Date().toISOString(), payload: { before: true } };
  expect((await sender.send(withOrigin(pods[0]!, integration.url), hook)).status).toBe(202);
  await stream.until(() => stream.widgetEvents().length === 1, 'the event of the hook before the outage');

  await redis.kill();
  const createdIds: string[] = [];
  for (const pod of pods) {
    const clientOfPod = client.on(pod.url);
    const created = await clientOfPod.createWidget({ name: 'created without Redis' });
    expect(created.status).toBe(201);
    createdIds.push(((await created.json()) as { id: string }).id);
    const listed = await clientOfPod.request('GET', '/api/v1/widgets');
    expect(listed.status).toBe(200);
    const elapsedMs = startStopwatch();
    const refused = await fetch(withOrigin(pod, integration.url), {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ ...hook, payload: { before: false } }),
    });
    expect(elapsedMs()).toBeLessThanOrEqual(2_000);
    expect(refused.status).toBe(503);
    expect(refused.headers.get('content-type')).toBe('application/problem+json');
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
    expect(await refused.json()).toMatchObject({ code: 'unavailable', status: 503 });
    expect((await fetch(`${pod.opsUrl}/readyz`)).status).toBe(200);
  }
  expect(hasEnded).toBe(false);

  await redis.start();
  const hasCreations = () => {
    const subjects = stream.widgetEvents().map((event) => (JSON.parse(event.data) as { subject?: string }).subject);
    return createdIds.every((id) => subjects.includes(id));
  };
  await stream.until(hasCreations, 'the creations of the outage', 30_000);
  expect(hasEnded).toBe(false);
  const after = await sender.send(withOrigin(pods[1]!, integration.url), { ...hook, payload: { after: true } });
  expect(after.status).toBe(202);
  const hasLaterHook = () => stream.widgetEvents().some((event) => event.data.includes('"after":true'));
  await stream.until(hasLaterHook, 'the event of the hook after the outage');
  await run.waitUntilProcessed();
  stream.close();
  sender.close();
});
