import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ConsoleClient, signIn } from '../drivers/app/console-client.ts';
import { type ClusterRun, openClusterRun } from '../drivers/cluster/cluster-run.ts';
import { buildHooks, createHookSender } from '../drivers/cluster/hook-sender.ts';
import { type ServiceProcess, withOrigin } from '../drivers/cluster/service-process.ts';
import { eventually } from '../drivers/tools/eventually.ts';
import { startStopwatch, thisMachine } from '../drivers/tools/stopwatch.ts';
import { type RedisProcess, startRedis } from '../faults/redis-process.ts';

/** Each burst is 5 s of its rate. */
const hookLimit = { ratePerSecond: 20, burst: 100 };
const apiLimit = { ratePerSecond: 2, burst: 10 };
/** A pod waits this long for the shared limiter in Redis, then limits by itself. */
const sharedLimiterTimeoutMs = 100;

let redis: RedisProcess;
let run: ClusterRun;
let pods: ServiceProcess[];
/** Creates integrations. The others only list: each of the two tests needs a user whose burst is full. */
let client: ConsoleClient;
let listers: ConsoleClient[];

beforeAll(async () => {
  // Without syncs, because a slow sync looks like an unavailable Redis to a pod.
  redis = await startRedis(['--appendfsync', 'no']);
  run = await openClusterRun({ redisUrl: redis.url });
  const environment = {
    HOOK_RATE_PER_SECOND: `${hookLimit.ratePerSecond}`,
    API_RATE_PER_SECOND: `${apiLimit.ratePerSecond}`,
  };
  pods = [await run.startApi(environment), await run.startApi(environment)];
  client = await signIn(pods[0]!.url);
  listers = [await createLister('first@example.com'), await createLister('second@example.com')];
});
afterAll(async () => {
  await run.dispose();
  await redis.dispose();
});

async function createLister(email: string): Promise<ConsoleClient> {
  const viewer = { email, password: 'a staple in the battery' };
  expect((await client.request('POST', '/api/v1/users', { ...viewer, role: 'viewer' })).status).toBe(201);
  const lister = await signIn(pods[0]!.url, viewer);
  return lister.changePassword(viewer.password, 'another staple in the battery');
}

/** Sends list requests to the pods in rotation and counts the statuses of the answers. */
async function countListStatuses(
  user: ConsoleClient,
  targets: readonly ServiceProcess[],
  times: number,
): Promise<Map<number, number>> {
  const counts = new Map<number, number>();
  for (let index = 0; index < times; index += 1) {
    const response = await user.on(targets[index % targets.length]!.url).request('GET', '/api/v1/widgets');
    await response.arrayBuffer();
    if (response.status === 429) {
      expect(Number(response.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
      expect(response.headers.get('ratelimit-policy')).toBe('"api";q=10;w=5');
    }
    counts.set(response.status, (counts.get(response.status) ?? 0) + 1);
  }
  return counts;
}

/** Returns how many decisions the pod made by itself, without the shared limiter. */
async function readFallbacks(pod: ServiceProcess): Promise<number> {
  const text = await (await fetch(`${pod.opsUrl}/metrics`)).text();
  return Number(/^widget_rate_limit_fallback_total (\d+)$/m.exec(text)?.[1]);
}

test('two pods together accept one burst of hooks and one of lists, plus the rate over time', async () => {
  const integration = await client.createIntegration('factory');
  const sender = createHookSender(16);
  const stolenBeforeMs = thisMachine.stolenMs();
  const startedAtMs = performance.now();
  const sent = await sender.sendAll(buildHooks([randomUUID()], 1_200), (index) =>
    withOrigin(pods[index % 2]!, integration.url),
  );
  const elapsedSeconds = (performance.now() - startedAtMs) / 1_000;
  sender.close();
  const accepted = sent.filter((hook) => hook.status === 202).length;
  expect(sent.filter((hook) => hook.status !== 202 && hook.status !== 429)).toEqual([]);
  expect(accepted).toBeGreaterThanOrEqual(hookLimit.burst);

  const listingAtMs = performance.now();
  const counts = await countListStatuses(listers[0]!, pods, 120);
  const listed = counts.get(200) ?? 0;
  expect(counts.get(429) ?? 0).toBe(120 - listed);
  expect(listed).toBeGreaterThanOrEqual(apiLimit.burst);
  const listingSeconds = (performance.now() - listingAtMs) / 1_000;

  const fallbacks = await Promise.all(pods.map(readFallbacks));
  // After this much stolen CPU time, a pod may have timed out on Redis and limited by itself.
  if (thisMachine.stolenMs() - stolenBeforeMs < sharedLimiterTimeoutMs) expect(fallbacks).toEqual([0, 0]);
  const limiters = 1 + fallbacks.filter((decisions) => decisions > 0).length;
  expect(accepted).toBeLessThanOrEqual(limiters * (hookLimit.burst + hookLimit.ratePerSecond * elapsedSeconds + 1));
  expect(listed).toBeLessThanOrEqual(limiters * (apiLimit.burst + apiLimit.ratePerSecond * listingSeconds + 1));
});

test('without Redis, each pod limits lists by itself and counts that; hooks are answered 503 within 2 s', async () => {
  const integration = await client.createIntegration('second factory');
  const hook = { kind: 'updated', occurredAt: new Date().toISOString(), payload: { number: 1 } };
  const send = (pod: ServiceProcess) =>
    fetch(withOrigin(pod, integration.url), {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(hook),
    });
  for (const pod of pods) expect((await send(pod)).status).toBe(202);

  await redis.kill();
  for (const pod of pods) {
    const fallbacksBefore = await readFallbacks(pod);
    const elapsedMs = startStopwatch();
    const refused = await send(pod);
    expect(elapsedMs()).toBeLessThanOrEqual(2_000);
    expect(refused.status).toBe(503);
    const counts = await countListStatuses(listers[1]!, [pod], 60);
    expect(counts.get(200)).toBeGreaterThanOrEqual(apiLimit.burst);
    expect(counts.get(429)).toBeGreaterThanOrEqual(1);
    expect((await readFallbacks(pod)) - fallbacksBefore).toBeGreaterThanOrEqual(60);
  }

  await redis.start();
  for (const pod of pods) {
    const isShared = async () => {
      const before = await readFallbacks(pod);
      await countListStatuses(listers[1]!, [pod], 1);
      return (await readFallbacks(pod)) === before;
    };
    await eventually(isShared, 'the pod uses the shared limiter again');
    await eventually(async () => (await send(pod)).status === 202, 'hooks are accepted again');
  }
});
