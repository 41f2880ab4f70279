import { afterAll, beforeAll, expect, it } from 'vitest';
import { type ClusterRun, openClusterRun } from '../drivers/cluster-run.ts';
import { type ConsoleClient, signIn } from '../drivers/console-client.ts';
import { eventually } from '../drivers/eventually.ts';
import { onPod, type ServiceProcess } from '../drivers/service-process.ts';
import { startStopwatch } from '../drivers/stopwatch.ts';
import { openStream, type StreamClient } from '../drivers/stream-client.ts';
import { type RedisProcess, startRedis } from '../faults/redis-process.ts';

let redis: RedisProcess;
let run: ClusterRun;
let pods: ServiceProcess[];
let client: ConsoleClient;

beforeAll(async () => {
  redis = await startRedis();
  run = await openClusterRun({ redisUrl: redis.url });
  pods = await Promise.all([run.startApi(), run.startApi()]);
  client = await signIn(pods[0]!.url);
});
afterAll(async () => {
  await run.dispose();
  await redis.dispose();
});

function openOnEach(url: string): Promise<StreamClient[]> {
  return Promise.all(
    pods.map(async (pod) => {
      const stream = await openStream(onPod(pod, url));
      await stream.until(() => stream.events.length > 0, 'stream.open');
      return stream;
    }),
  );
}

it('a DELETE is answered 503 while the pods cannot be told; repeated it is 404, and the streams have ended', async () => {
  const [gone, kept] = [await client.createSubscription('gone'), await client.createSubscription('kept')];
  const [goneStreams, keptStreams] = [await openOnEach(gone.url), await openOnEach(kept.url)];
  let keptEnded = 0;
  for (const stream of keptStreams) void stream.ended.then(() => (keptEnded += 1));
  const path = `/api/v1/subscriptions/${gone.id}`;

  await redis.kill();
  const elapsedMs = startStopwatch();
  const refused = await client.request('DELETE', path);
  expect(elapsedMs()).toBeLessThanOrEqual(2_000);
  expect(refused.status).toBe(503);
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
  expect(await refused.json()).toMatchObject({ code: 'unavailable' });
  for (const pod of pods) expect((await fetch(`${pod.opsUrl}/readyz`)).status).toBe(200);

  await redis.start();
  let repeated = 503;
  await eventually(async () => {
    repeated = (await client.request('DELETE', path)).status;
    return repeated !== 503;
  }, 'an answer');
  const sinceAcknowledgedMs = startStopwatch();
  expect(repeated).toBe(404);
  await Promise.all(goneStreams.map((stream) => stream.ended));
  expect(sinceAcknowledgedMs()).toBeLessThanOrEqual(2_000);
  for (const stream of goneStreams) expect(stream.events.at(-1)?.data).toBe('{"reason":"revoked"}');
  for (const pod of pods) expect((await openStream(onPod(pod, gone.url))).status).toBe(404);
  expect(keptEnded).toBe(0);
  for (const stream of keptStreams) stream.close();
});

it('what was revoked without a word while Redis was away is found when it is back', async () => {
  const gone = await client.createSubscription('gone too');
  const streams = await openOnEach(gone.url);
  await redis.kill();
  expect((await client.request('DELETE', `/api/v1/subscriptions/${gone.id}`)).status).toBe(503);
  await redis.start();
  await eventually(async () => streams.every((stream) => stream.events.at(-1)?.event === 'stream.closing'), 'the end');
  for (const stream of streams) expect(stream.events.at(-1)?.data).toBe('{"reason":"revoked"}');
});
