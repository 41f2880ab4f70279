import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ConsoleClient, signIn } from '../drivers/app/console-client.ts';
import { type ClusterRun, openClusterRun } from '../drivers/cluster/cluster-run.ts';
import { type ServiceProcess, withOrigin } from '../drivers/cluster/service-process.ts';
import { openStream, type StreamClient } from '../drivers/streams/stream-client.ts';
import { eventually } from '../drivers/tools/eventually.ts';
import { startStopwatch } from '../drivers/tools/stopwatch.ts';
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

function openOnEachPod(url: string): Promise<StreamClient[]> {
  return Promise.all(
    pods.map(async (pod) => {
      const stream = await openStream(withOrigin(pod, url));
      await stream.until(() => stream.events.length > 0, 'stream.open');
      return stream;
    }),
  );
}

test('without Redis a DELETE is answered 503; when it is repeated later, it gets 404 and the streams end', async () => {
  const [revoked, kept] = [await client.createSubscription('revoked'), await client.createSubscription('kept')];
  const [revokedStreams, keptStreams] = [await openOnEachPod(revoked.url), await openOnEachPod(kept.url)];
  let keptEnded = 0;
  for (const stream of keptStreams) void stream.ended.then(() => (keptEnded += 1));
  const path = `/api/v1/subscriptions/${revoked.id}`;

  await redis.kill();
  const elapsedMs = startStopwatch();
  const refused = await client.request('DELETE', path);
  expect(elapsedMs()).toBeLessThanOrEqual(2_000);
  expect(refused.status).toBe(503);
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
  expect(await refused.json()).toMatchObject({ code: 'unavailable' });
  expect((await client.request('GET', `/api/v1/subscriptions/${kept.id}/connections`)).status).toBe(503);
  for (const pod of pods) expect((await fetch(`${pod.opsUrl}/readyz`)).status).toBe(200);

  await redis.start();
  const statuses: number[] = [];
  const repeat = async () => statuses.push((await client.request('DELETE', path)).status);
  await eventually(async () => (await repeat()) > 0 && statuses.at(-1) !== 503, 'the repeated DELETE is answered');
  const sinceAcknowledgedMs = startStopwatch();
  expect(statuses.at(-1)).toBe(404);
  await Promise.all(revokedStreams.map((stream) => stream.ended));
  expect(sinceAcknowledgedMs()).toBeLessThanOrEqual(2_000);
  for (const stream of revokedStreams) expect(stream.events.at(-1)?.data).toBe('{"reason":"revoked"}');
  for (const pod of pods) expect((await openStream(withOrigin(pod, revoked.url))).status).toBe(404);
  expect(keptEnded).toBe(0);
  for (const stream of keptStreams) stream.close();
});

test('a revocation that could not be announced without Redis ends the streams when Redis is back', async () => {
  const revoked = await client.createSubscription('revoked too');
  const streams = await openOnEachPod(revoked.url);
  await redis.kill();
  expect((await client.request('DELETE', `/api/v1/subscriptions/${revoked.id}`)).status).toBe(503);
  await redis.start();
  await eventually(
    async () => streams.every((stream) => stream.events.at(-1)?.event === 'stream.closing'),
    'every stream ends',
  );
  for (const stream of streams) expect(stream.events.at(-1)?.data).toBe('{"reason":"revoked"}');
});
