/**
 * The Redis user of `deploy/redis/users.acl` may do everything that the service does, and nothing that it asks for is
 * refused. Its keys are those of one prefix.
 */

import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { findDatabaseName } from '@widget-service/shared/runtime/host-name.ts';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createWidgets, signIn } from '../drivers/app/console-client.ts';
import { type ClusterRun, openClusterRun } from '../drivers/cluster/cluster-run.ts';
import { buildHooks, createHookSender } from '../drivers/cluster/hook-sender.ts';
import { withOrigin } from '../drivers/cluster/service-process.ts';
import { openStream } from '../drivers/streams/stream-client.ts';
import { eventually } from '../drivers/tools/eventually.ts';
import { type RedisProcess, startRedis } from '../faults/redis-process.ts';
import { readShippedUser, shippedPassword } from '../faults/shipped-acl.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

let redis: RedisProcess;
let run: ClusterRun;
let replica: RedisProcess;
let environment: Record<string, string>;

beforeAll(async () => {
  [redis, replica] = await Promise.all([startRedis(), startRedis()]);
  // Readings of the test use the default user.
  run = await openClusterRun({ redisUrl: redis.url });
  const prefix = findDatabaseName(run.environment.MONGODB_URL ?? '');
  const { name, rules } = readShippedUser(prefix);
  for (const server of [redis, replica]) await server.send('ACL', 'SETUSER', name, ...rules);
  await replica.replicate(redis.port);
  await redis.waitUntilConfirmed();
  const url = new URL(redis.url);
  Object.assign(url, { username: name, password: shippedPassword });
  environment = {
    REDIS_URL: url.href,
    EVENTS_READ_REDIS: `127.0.0.1:${replica.port}`,
    HOOK_RATE_PER_SECOND: '1000',
    API_RATE_PER_SECOND: '1000',
    DRAIN_DELAY_MS: '0',
  };
});
afterAll(async () => {
  await run?.dispose();
  await Promise.all([redis?.dispose(), replica?.dispose()]);
});

test('suffices for hooks, streams, limits, states, a killed worker and `new-epoch`', async () => {
  const pod = await run.startApi(environment);
  const worker = await run.startWorker(environment);
  const client = await signIn(pod.url);
  const [widgetId = ''] = await createWidgets(client, 1);
  const subscription = await client.createSubscription('screen');
  const integration = await client.createIntegration('factory');
  const stream = await openStream(withOrigin(pod, subscription.url));
  await stream.until(() => stream.events.length > 0, 'stream.open');
  const sender = createHookSender(2);
  const send = (bodies: Parameters<typeof sender.sendAll>[0]) =>
    sender.sendAll(bodies, () => withOrigin(pod, integration.url));

  expect((await send(buildHooks([widgetId], 40))).every(({ status }) => status === 202)).toBe(true);
  await stream.until(() => stream.widgetEvents().length >= 40, 'the events');
  const refused = await fetch(withOrigin(pod, integration.url), { method: 'POST', body: '{' });
  expect(refused.status).toBeGreaterThanOrEqual(400);
  await worker.stop('SIGKILL');
  expect((await send(buildHooks([widgetId], 60).slice(40))).every(({ status }) => status === 202)).toBe(true);
  const successor = await run.startWorker(environment);
  await stream.until(() => stream.widgetEvents().length >= 60, 'the events of the jobs that a killed worker left');
  // The killed worker stays listed for a minute, and its state grows old.
  const hasSuccessor = async () => {
    const overview = await (await client.request('GET', '/api/v1/overview')).json();
    const ages = (overview as { workers: { ageSeconds: number }[] }).workers.map(({ ageSeconds }) => ageSeconds);
    return ages.length === 2 && ages.some((age) => age < 10) && ages.some((age) => age > 10);
  };
  await eventually(hasSuccessor, 'the overview knows the worker, and that the other one is silent', 30_000);
  await client.request('DELETE', `/api/v1/subscriptions/${subscription.id}`);
  await stream.ended;
  sender.close();
  expect(await Promise.all([pod.stop(), successor.stop()])).toEqual([0, 0]);

  const env = { PATH: process.env.PATH ?? '', ...run.environment, ...environment };
  const epoch = spawnSync(process.execPath, ['apps/worker/src/new-epoch.ts'], { cwd: root, env, encoding: 'utf8' });
  expect(epoch).toMatchObject({ status: 0, stderr: '' });
  expect(await redis.send('ACL', 'LOG')).toBe('');
  expect(await replica.send('ACL', 'LOG')).toBe('');
});

test('gives access to nothing else: keys of another prefix, and commands of an operator', async () => {
  const user = new Redis(environment.REDIS_URL ?? '', { protocol: 2 });
  try {
    await expect(user.get('other')).rejects.toThrow(/^NOPERM/);
    await expect(user.call('FLUSHALL')).rejects.toThrow(/^NOPERM/);
    await expect(user.call('CONFIG', 'GET', '*')).rejects.toThrow(/^NOPERM/);
  } finally {
    user.disconnect();
  }
});
