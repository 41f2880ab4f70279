import { afterAll, beforeAll, expect, test } from 'vitest';
import { expectDenseOrder } from '../checkers/delivered-once-in-order.ts';
import { createWidgets, signIn } from '../drivers/app/console-client.ts';
import { type ClusterRun, openClusterRun } from '../drivers/cluster/cluster-run.ts';
import { buildHooks, createHookSender } from '../drivers/cluster/hook-sender.ts';
import { type ServiceProcess, withOrigin } from '../drivers/cluster/service-process.ts';
import { openStream } from '../drivers/streams/stream-client.ts';
import { type RedisProcess, startRedis } from '../faults/redis-process.ts';

const hooksPerRound = 20;

let redis: RedisProcess;
let eventsRedis: RedisProcess;
let run: ClusterRun;
let pod: ServiceProcess;
let worker: ServiceProcess;

beforeAll(async () => {
  redis = await startRedis();
  eventsRedis = await startRedis();
  run = await openClusterRun({ redisUrl: redis.url });
  await startBoth({});
});
afterAll(async () => {
  await run.dispose();
  await Promise.all([redis.dispose(), eventsRedis.dispose()]);
});

async function startBoth(extra: Readonly<Record<string, string>>): Promise<void> {
  pod = await run.startApi({ DRAIN_DELAY_MS: '0', DRAIN_WINDOW_MS: '0', ...extra });
  worker = await run.startWorker(extra);
}

test('after the move by a replica, streams resume without a gap, and versions continue', async () => {
  const client = await signIn(pod.url);
  const [widgetId = ''] = await createWidgets(client, 1);
  const subscription = await client.createSubscription('screen');
  const integration = await client.createIntegration('factory');
  const sender = createHookSender(1);
  const send = async (from: number) => {
    const bodies = buildHooks([widgetId], from + hooksPerRound).slice(from);
    const sent = await sender.sendAll(bodies, () => withOrigin(pod, integration.url));
    expect(sent.every(({ status }) => status === 202)).toBe(true);
  };
  const stream = await openStream(withOrigin(pod, subscription.url));
  await stream.until(() => stream.events.length > 0, 'stream.open');
  await send(0);
  await stream.until(() => stream.widgetEvents().length >= hooksPerRound, 'the first hooks');
  await eventsRedis.replicate(redis.port);
  // These reach the new Redis through replication.
  await send(hooksPerRound);
  await run.waitUntilProcessed();

  expect(await Promise.all([pod.stop(), worker.stop()])).toEqual([0, 0]);
  await eventsRedis.waitUntilReplicated(redis.port);
  await eventsRedis.becomePrimary();
  await startBoth({ EVENTS_REDIS_URL: eventsRedis.url });

  const resumed = await openStream(withOrigin(pod, subscription.url), { lastEventId: stream.lastEventId() });
  await send(2 * hooksPerRound);
  const isComplete = () =>
    resumed
      .widgetEvents()
      .at(-1)
      ?.data.includes(`"version":${1 + 3 * hooksPerRound}`) === true;
  await resumed.until(isComplete, 'every event');
  expect(resumed.events.map(({ event }) => event)).not.toContain('stream.gap');
  expectDenseOrder([...stream.widgetEvents(), ...resumed.widgetEvents()]);
  expect(resumed.events[0]?.event).toBe('stream.open');
  resumed.close();
  stream.close();
  sender.close();
});
