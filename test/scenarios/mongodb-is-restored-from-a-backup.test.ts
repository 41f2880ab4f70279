import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { isWidgetEvent, readStream } from '@widget-service/client/index.ts';
import { findRedisKeys } from '@widget-service/cluster/redis/keys.ts';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { expectDenseOrder } from '../checkers/delivered-once-in-order.ts';
import { type ConsoleClient, createWidgets, signIn } from '../drivers/app/console-client.ts';
import { type ClusterRun, openClusterRun } from '../drivers/cluster/cluster-run.ts';
import { buildHooks, createHookSender } from '../drivers/cluster/hook-sender.ts';
import { type ServiceProcess, withOrigin } from '../drivers/cluster/service-process.ts';
import { openStream, type StreamClient } from '../drivers/streams/stream-client.ts';
import { eventually } from '../drivers/tools/eventually.ts';
import { backUpMongo } from '../faults/mongo-backup.ts';
import { type RedisProcess, startRedis } from '../faults/redis-process.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const hooksPerRound = 20;

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
  pod = await run.startApi({ DRAIN_DELAY_MS: '0' });
  worker = await run.startWorker();
  client = await signIn(pod.url);
}

async function stopBoth(): Promise<void> {
  expect(await Promise.all([pod.stop(), worker.stop()])).toEqual([0, 0]);
}

/** A hook that is still queued would take effect after the restore. That is correct, but would confuse this test. */
const waitUntilProcessed = () => run.waitUntilProcessed();

function runNewEpochCommand() {
  const env = { PATH: process.env.PATH ?? '', ...run.environment };
  return spawnSync(process.execPath, ['apps/worker/src/new-epoch.ts'], { cwd: root, env, encoding: 'utf8' });
}

/** Runs the command, asserts that it succeeds, and returns its output. */
function startNewEpoch(): string {
  const { status, stdout, stderr } = runNewEpochCommand();
  expect(stderr).toBe('');
  expect(status).toBe(0);
  return stdout;
}

/** Returns the id of the new epoch, and the number that every later run is above. */
function parseNewEpoch(output: string): { readonly epoch: string; readonly run: number } {
  const [, epoch = '', run] = /^started epoch (\w+); the next run number is above (\d+);/.exec(output) ?? [];
  return { epoch, run: Number(run) };
}

async function readHighestRun(): Promise<number> {
  const connection = new Redis(redis.url);
  const value = await connection.hget(
    findRedisKeys({ MONGODB_URL: run.environment.MONGODB_URL ?? '' }).logMeta,
    'highestRun',
  );
  connection.disconnect();
  return Number(value);
}

const readWidgets = (stream: StreamClient) =>
  stream.widgetEvents().map(({ data }) => (JSON.parse(data) as { data: { widget: { version: number } } }).data.widget);

/** Collects the versions that a program with the client library reads, on whichever pod runs. */
function readVersions(url: string): { readonly versions: number[]; readonly stop: () => Promise<unknown> } {
  const versions: number[] = [];
  const stop = new AbortController();
  const { signal } = stop;
  const fetchFromPod: typeof fetch = (input, init) => fetch(withOrigin(pod, `${input}`), init);
  const read = async () => {
    for await (const event of readStream(url, { signal, fetch: fetchFromPod }))
      if (isWidgetEvent(event) && event.data.widget !== null) versions.push(event.data.widget.version);
  };
  const ended = read().catch((error: unknown) => error);
  return {
    versions,
    stop: () => {
      stop.abort();
      return ended;
    },
  };
}

test('after a restore and `new-epoch`, repeated hooks take effect at the versions of the backup, after a stream.gap', async () => {
  await startBoth();
  const [widgetId = ''] = await createWidgets(client, 1);
  const subscription = await client.createSubscription('screen');
  const integration = await client.createIntegration('factory');
  const stream = await openStream(withOrigin(pod, subscription.url));
  await stream.until(() => stream.events.length > 0, 'stream.open');
  const reader = readVersions(withOrigin(pod, subscription.url));
  const sender = createHookSender(1);
  const send = async (from: number) => {
    const bodies = buildHooks([widgetId], from + hooksPerRound).slice(from);
    const sent = await sender.sendAll(bodies, () => withOrigin(pod, integration.url));
    expect(sent.every(({ status }) => status === 202)).toBe(true);
  };
  const hasReceived = (subscriber: StreamClient, version: number) =>
    readWidgets(subscriber).at(-1)?.version === version;
  await send(0);
  await stream.until(() => hasReceived(stream, 1 + hooksPerRound), 'the hooks before the backup');
  await waitUntilProcessed();
  const backup = await backUpMongo(run.environment);
  await send(hooksPerRound);
  await stream.until(() => hasReceived(stream, 1 + 2 * hooksPerRound), 'the hooks after the backup');
  await waitUntilProcessed();

  await stopBoth();
  await backup.restore();
  expect(startNewEpoch()).toMatch(
    /^started epoch \w+; the next run number is above \d+; removed \d+ dedupe marks of earlier events\n$/,
  );
  await startBoth();

  const resumed = await openStream(withOrigin(pod, subscription.url), { lastEventId: stream.lastEventId() });
  await resumed.until(() => resumed.events.length > 1, 'stream.gap and stream.open');
  expect(resumed.events.slice(0, 2).map(({ event }) => event)).toEqual(['stream.gap', 'stream.open']);
  expect(JSON.parse(resumed.events[0]?.data ?? '')).toMatchObject({ reason: 'epoch-changed' });
  const hasRead = (count: number) =>
    eventually(() => Promise.resolve(reader.versions.length >= count), `${count} events of the client library`);
  await hasRead(2 * hooksPerRound);
  await send(hooksPerRound);
  await resumed.until(() => hasReceived(resumed, 1 + 2 * hooksPerRound), 'the hooks that were lost');
  const lost = Array.from({ length: hooksPerRound }, (_, index) => 2 + hooksPerRound + index);
  expect(readWidgets(resumed).map(({ version }) => version)).toEqual(lost);
  expectDenseOrder(resumed.widgetEvents());
  await hasRead(3 * hooksPerRound);
  expect(reader.versions.slice(2 * hooksPerRound)).toEqual(lost);
  await reader.stop();
  resumed.close();
  sender.close();
  await stopBoth();
});

test('without `new-epoch`, nothing is processed, and every process says why; then it goes on by itself', async () => {
  await startBoth();
  const [widgetId = ''] = await createWidgets(client, 1);
  const subscription = await client.createSubscription('screen 2');
  const integration = await client.createIntegration('factory 2');
  const stream = await openStream(withOrigin(pod, subscription.url));
  await stream.until(() => stream.events.length > 0, 'stream.open');
  const sender = createHookSender(1);
  const send = async (from: number) => {
    const bodies = buildHooks([widgetId], from + hooksPerRound).slice(from);
    return await sender.sendAll(bodies, () => withOrigin(pod, integration.url));
  };
  await send(0);
  await stream.until(() => readWidgets(stream).at(-1)?.version === 1 + hooksPerRound, 'the hooks before the backup');
  await waitUntilProcessed();
  const backup = await backUpMongo(run.environment);
  const highestRun = await readHighestRun();
  await send(hooksPerRound);
  await stream.until(() => readWidgets(stream).at(-1)?.version === 1 + 2 * hooksPerRound, 'the hooks after it');
  await waitUntilProcessed();
  // Runs share a number for up to two seconds. A backup that is younger than the latest number is not recognised.
  await eventually(async () => (await readHighestRun()) > highestRun, 'the log knows a higher number', 30_000);

  // They run on, as after a mistake.
  await backup.restore();
  const isUnready = async ({ opsUrl }: ServiceProcess) => {
    const response = await fetch(`${opsUrl}/readyz`);
    return response.status === 503 && /store-match.*npm run new-epoch/.test(await response.text());
  };
  const areUnready = async () => (await Promise.all([pod, worker].map(isUnready))).every(Boolean);
  await eventually(areUnready, 'pod and worker are not ready, and name the command', 60_000);
  const mismatches = ({ lines }: ServiceProcess) => lines.filter(({ msg }) => msg === 'stores.mismatch');
  for (const service of [pod, worker]) {
    await eventually(async () => mismatches(service).length > 0, 'its log says so, too');
    expect(mismatches(service)).toEqual([
      expect.objectContaining({ level: 'error', reason: expect.stringContaining('new-epoch') }),
    ]);
  }
  const sent = await send(2 * hooksPerRound);
  expect(sent.every(({ status }) => status === 202)).toBe(true);
  expect(await run.countJobs()).toBeGreaterThan(0);
  // Neither does a worker process them that starts now.
  expect(await worker.stop()).toBe(0);
  worker = await run.startWorker();
  await eventually(() => isUnready(worker), 'the new worker is not ready', 30_000);
  expect(await run.countJobs()).toBeGreaterThan(0);

  startNewEpoch();
  await waitUntilProcessed();
  const isReady = async ({ opsUrl }: ServiceProcess) => (await fetch(`${opsUrl}/readyz`)).status === 200;
  await eventually(
    async () => (await Promise.all([pod, worker].map(isReady))).every(Boolean),
    'both are ready',
    60_000,
  );
  const resumed = await openStream(withOrigin(pod, subscription.url), { lastEventId: stream.lastEventId() });
  await resumed.until(() => resumed.events.length > 1, 'stream.gap and stream.open');
  expect(JSON.parse(resumed.events[0]?.data ?? '')).toMatchObject({ reason: 'epoch-changed' });
  const read = await client.request('GET', `/api/v1/widgets/${widgetId}`);
  const widget = (await read.json()) as { version: number };
  expect(widget.version).toBe(1 + 2 * hooksPerRound);
  resumed.close();
  stream.close();
  sender.close();
  await stopBoth();
});

test('`new-epoch` continues the run numbers above those in the log, each time it is run', async () => {
  await startBoth();
  await createWidgets(client, 1);
  await waitUntilProcessed();
  await stopBoth();
  const connection = new Redis(redis.url);
  try {
    const before = parseNewEpoch(startNewEpoch());
    // As after the restore of an older backup: the log knows a higher run number than the run counter.
    const highestRun = before.run + 1_000;
    await connection.hset(findRedisKeys({ MONGODB_URL: run.environment.MONGODB_URL ?? '' }).logMeta, { highestRun });
    const after = parseNewEpoch(startNewEpoch());
    expect(after.run).toBeGreaterThan(highestRun);
    expect(after.epoch).not.toBe(before.epoch);
  } finally {
    connection.disconnect();
  }
});

test('`new-epoch` exits with 69 and changes nothing while Redis is unavailable', async () => {
  const before = parseNewEpoch(startNewEpoch());
  await redis.kill();
  const { status, stdout, stderr } = runNewEpochCommand();
  expect({ status, stdout }).toEqual({ status: 69, stdout: '' });
  expect(stderr).toMatch(
    /^Redis did not answer within 2000 ms \(connect ECONNREFUSED .*\)\. Nothing was changed\. Check REDIS_URL and Redis, then run the command again\.\n$/,
  );
  await redis.start();
  expect(parseNewEpoch(startNewEpoch()).run).toBe(before.run + 1);
});
