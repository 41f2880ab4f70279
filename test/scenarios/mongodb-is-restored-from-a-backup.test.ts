import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { redisKeys } from '@widget-service/cluster/redis/keys.ts';
import { Redis } from 'ioredis';
import { MongoClient } from 'mongodb';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { expectDenseOrder } from '../checkers/delivered-once-in-order.ts';
import { type ClusterRun, openClusterRun } from '../drivers/cluster-run.ts';
import { type ConsoleClient, signIn } from '../drivers/console-client.ts';
import { eventually } from '../drivers/eventually.ts';
import { createHookSender } from '../drivers/hook-sender.ts';
import { onPod, type ServiceProcess } from '../drivers/service-process.ts';
import { openStream, type StreamClient } from '../drivers/stream-client.ts';
import { createWidgets, hooksOver } from '../drivers/traffic.ts';
import { backUpMongo } from '../faults/mongo-backup.ts';
import { type RedisProcess, startRedis } from '../faults/redis-process.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const hooks = 20;

let redis: RedisProcess;
let run: ClusterRun;
let pod: ServiceProcess;
let worker: ServiceProcess;
let client: ConsoleClient;

beforeAll(async () => {
  redis = await startRedis();
  run = await openClusterRun({ redisUrl: redis.url });
});
afterAll(async () => {
  await run.dispose();
  await redis.dispose();
});

async function startBoth(): Promise<void> {
  pod = await run.startApi({ DRAIN_DELAY_MS: '0', DRAIN_WINDOW_MS: '0' });
  worker = await run.startWorker();
  client = await signIn(pod.url);
}

async function stopBoth(): Promise<void> {
  expect(await Promise.all([pod.stop(), worker.stop()])).toEqual([0, 0]);
}

/** What is left in the queue would have its effect anew after the restore, as it should: here it must not. */
const settled = () =>
  eventually(async () => (await run.jobsLeft()) + (await run.outboxesLeft()) === 0, 'queue and outboxes are empty');

function giveNewEpoch() {
  const env = { PATH: process.env.PATH ?? '', ...run.environment };
  return spawnSync(process.execPath, ['apps/worker/src/new-epoch.ts'], { cwd: root, env, encoding: 'utf8' });
}

function beginNewEpoch(): string {
  const { status, stdout, stderr } = giveNewEpoch();
  expect(stderr).toBe('');
  expect(status).toBe(0);
  return stdout;
}

/** The number after which runs go on, and the epoch that begins. */
function parseNewEpoch(told: string): { readonly epoch: string; readonly run: number } {
  const [, epoch = '', run] = /^epoch (\w+) begins; runs go on after (\d+);/.exec(told) ?? [];
  return { epoch, run: Number(run) };
}

const versionsOf = (stream: StreamClient) =>
  stream.widgetEvents().map(({ data }) => (JSON.parse(data) as { data: { widget: { version: number } } }).data.widget);

it('events go on from the versions of the backup, none passes for told already, and subscribers are told', async () => {
  await startBoth();
  const [widgetId = ''] = await createWidgets(client, 1);
  const subscription = await client.createSubscription('screen');
  const integration = await client.createIntegration('factory');
  const stream = await openStream(onPod(pod, subscription.url));
  await stream.until(() => stream.events.length > 0, 'stream.open');
  const sender = createHookSender(1);
  const send = async (from: number) => {
    const bodies = hooksOver([widgetId], from + hooks).slice(from);
    const sent = await sender.sendAll(bodies, () => onPod(pod, integration.url));
    expect(sent.every(({ status }) => status === 202)).toBe(true);
  };
  const isAt = (each: StreamClient, version: number) => versionsOf(each).at(-1)?.version === version;
  await send(0);
  await stream.until(() => isAt(stream, 1 + hooks), 'the hooks before the backup');
  await settled();
  const backup = await backUpMongo(run.environment);
  await send(hooks);
  await stream.until(() => isAt(stream, 1 + 2 * hooks), 'the hooks after it');
  await settled();

  await stopBoth();
  await backup.restore();
  expect(beginNewEpoch()).toMatch(
    /^epoch \w+ begins; runs go on after \d+; \d+ marks of earlier events are removed\n$/,
  );
  await startBoth();

  const resumed = await openStream(onPod(pod, subscription.url), { lastEventId: stream.lastEventId() });
  await resumed.until(() => resumed.events.length > 1, 'gap and open');
  expect(resumed.events.slice(0, 2).map(({ event }) => event)).toEqual(['stream.gap', 'stream.open']);
  expect(JSON.parse(resumed.events[0]?.data ?? '')).toMatchObject({ reason: 'epoch-changed' });
  await send(2 * hooks);
  await resumed.until(() => isAt(resumed, 1 + 2 * hooks), 'the hooks after the restore');
  expect(versionsOf(resumed).map(({ version }) => version)).toEqual(
    Array.from({ length: hooks }, (_, index) => 2 + hooks + index),
  );
  expectDenseOrder(resumed.widgetEvents());
  resumed.close();
  sender.close();
  await stopBoth();
});

it('runs go on above every number that is stored anywhere, however often the command is given', async () => {
  await startBoth();
  await createWidgets(client, 1);
  await settled();
  await stopBoth();
  const mongo = await new MongoClient(run.environment.MONGODB_URL ?? '').connect();
  const connection = new Redis(redis.url);
  try {
    const before = parseNewEpoch(beginNewEpoch());
    // A backup that is not of one moment: a widget was written under a number that the counter does not know of.
    const fence = before.run + 1_000;
    await mongo.db(run.environment.MONGODB_DATABASE).collection('widgets').updateOne({}, { $set: { fence } });
    const afterFence = parseNewEpoch(beginNewEpoch());
    expect(afterFence.run).toBeGreaterThan(fence);
    // The log knows of a later one still.
    const newest = fence + 1_000;
    await connection.hset(redisKeys(run.environment.REDIS_KEY_PREFIX ?? '').logMeta, { newest });
    const afterLog = parseNewEpoch(beginNewEpoch());
    expect(afterLog.run).toBeGreaterThan(newest);
    expect(new Set([before.epoch, afterFence.epoch, afterLog.epoch]).size).toBe(3);
  } finally {
    connection.disconnect();
    await mongo.close();
  }
});

it('while Redis is away the command says so, and changes nothing', async () => {
  const before = parseNewEpoch(beginNewEpoch());
  await redis.kill();
  const { status, stdout, stderr } = giveNewEpoch();
  expect({ status, stdout }).toEqual({ status: 69, stdout: '' });
  expect(stderr).toBe('Redis did not answer within 2000 ms. Nothing was changed.\n');
  await redis.start();
  expect(parseNewEpoch(beginNewEpoch()).run).toBe(before.run + 1);
});
