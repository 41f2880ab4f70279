import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type ClusterRun, openClusterRun } from '../drivers/cluster-run.ts';
import { type ConsoleClient, signIn } from '../drivers/console-client.ts';
import { eventually } from '../drivers/eventually.ts';
import { createHookSender } from '../drivers/hook-sender.ts';
import { onPod, type ServiceProcess } from '../drivers/service-process.ts';
import { startStopwatch, thisMachine } from '../drivers/stopwatch.ts';
import { hooksOver } from '../drivers/traffic.ts';
import { type RedisProcess, startRedis } from '../faults/redis-process.ts';

const hooks = { ratePerSecond: 20, burst: 300 };
const api = { ratePerSecond: 1, burst: 40 };
const sharedLimiterPatienceMs = 100;

let redis: RedisProcess;
let run: ClusterRun;
let pods: ServiceProcess[];
let client: ConsoleClient;

beforeAll(async () => {
  // To a pod a disk that takes its time to sync looks like a Redis that is away.
  redis = await startRedis(['--appendfsync', 'no']);
  run = await openClusterRun({ redisUrl: redis.url });
  const environment = {
    HOOK_RATE_PER_SECOND: `${hooks.ratePerSecond}`,
    HOOK_BURST: `${hooks.burst}`,
    API_RATE_PER_SECOND: `${api.ratePerSecond}`,
    API_BURST: `${api.burst}`,
  };
  pods = [await run.startApi(environment), await run.startApi(environment)];
  client = await signIn(pods[0]!.url);
});
afterAll(async () => {
  await run.dispose();
  await redis.dispose();
});

/** Lists so often, by turns on the pods, and counts the statuses. */
async function listOn(
  person: ConsoleClient,
  targets: readonly ServiceProcess[],
  times: number,
): Promise<Map<number, number>> {
  const counts = new Map<number, number>();
  for (let index = 0; index < times; index += 1) {
    const response = await person.on(targets[index % targets.length]!.url).request('GET', '/api/v1/widgets');
    await response.arrayBuffer();
    if (response.status === 429) {
      expect(Number(response.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
      expect(response.headers.get('ratelimit-policy')).toBe('"api";q=40;w=40');
    }
    counts.set(response.status, (counts.get(response.status) ?? 0) + 1);
  }
  return counts;
}

async function fallbacksOf(pod: ServiceProcess): Promise<number> {
  const text = await (await fetch(`${pod.opsUrl}/metrics`)).text();
  return Number(/^widget_rate_limit_fallback_total (\d+)$/m.exec(text)?.[1]);
}

it('two pods grant one burst of hooks and one of lists, and what comes back over time', async () => {
  const integration = await client.createIntegration('factory');
  const sender = createHookSender(16);
  const stolenBeforeMs = thisMachine.stolenMs();
  const startedAtMs = performance.now();
  const sent = await sender.sendAll(hooksOver([randomUUID()], 1_200), (index) =>
    onPod(pods[index % 2]!, integration.url),
  );
  const elapsedSeconds = (performance.now() - startedAtMs) / 1_000;
  sender.close();
  const accepted = sent.filter((hook) => hook.status === 202).length;
  expect(sent.filter((hook) => hook.status !== 202 && hook.status !== 429)).toEqual([]);
  expect(accepted).toBeGreaterThanOrEqual(hooks.burst);

  const listingAtMs = performance.now();
  const counts = await listOn(client, pods, 120);
  const listed = counts.get(200) ?? 0;
  expect(counts.get(429) ?? 0).toBe(120 - listed);
  expect(listed).toBeGreaterThanOrEqual(api.burst);
  const listingSeconds = (performance.now() - listingAtMs) / 1_000;

  const fallbacks = await Promise.all(pods.map(fallbacksOf));
  // A machine that works for others for so long looks to a pod like a Redis that is away: then it limits by itself.
  if (thisMachine.stolenMs() - stolenBeforeMs < sharedLimiterPatienceMs) expect(fallbacks).toEqual([0, 0]);
  const limiters = 1 + fallbacks.filter((decisions) => decisions > 0).length;
  expect(accepted).toBeLessThanOrEqual(limiters * (hooks.burst + hooks.ratePerSecond * elapsedSeconds + 1));
  expect(listed).toBeLessThanOrEqual(limiters * (api.burst + api.ratePerSecond * listingSeconds + 1));
});

it('with Redis away each pod limits by itself and says so, and hooks get 503 within 2 s', async () => {
  const integration = await client.createIntegration('second factory');
  const hook = { kind: 'updated', occurredAt: new Date().toISOString(), payload: { number: 1 } };
  const send = (pod: ServiceProcess) =>
    fetch(onPod(pod, integration.url), {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(hook),
    });
  for (const pod of pods) expect((await send(pod)).status).toBe(202);
  // Somebody whose lists nobody has counted yet.
  const viewer = { email: 'viewer@example.com', password: 'a staple in the battery' };
  expect((await client.request('POST', '/api/v1/users', { ...viewer, role: 'viewer' })).status).toBe(201);
  const person = await signIn(pods[0]!.url, viewer);

  await redis.kill();
  for (const pod of pods) {
    const fallbacksBefore = await fallbacksOf(pod);
    const elapsedMs = startStopwatch();
    const refused = await send(pod);
    expect(elapsedMs()).toBeLessThanOrEqual(2_000);
    expect(refused.status).toBe(503);
    const counts = await listOn(person, [pod], 60);
    expect(counts.get(200)).toBeGreaterThanOrEqual(api.burst);
    expect(counts.get(429)).toBeGreaterThanOrEqual(1);
    expect((await fallbacksOf(pod)) - fallbacksBefore).toBeGreaterThanOrEqual(60);
  }

  await redis.start();
  for (const pod of pods) {
    const isShared = async () => {
      const before = await fallbacksOf(pod);
      await listOn(person, [pod], 1);
      return (await fallbacksOf(pod)) === before;
    };
    await eventually(isShared, 'the pod asks Redis again');
    await eventually(async () => (await send(pod)).status === 202, 'hooks are accepted again');
  }
});
