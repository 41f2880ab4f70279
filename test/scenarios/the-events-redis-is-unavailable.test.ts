import { setTimeout as delay } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { describe, expect, test } from 'vitest';
import { eventually } from '../drivers/tools/eventually.ts';
import { isHaproxyInstalled } from '../faults/balancer.ts';
import { type FaultRun, useFaultRun } from '../faults/checkpoint.ts';
import { expectRedisOutage } from '../faults/expect-outage.ts';
import { countGapReasons, excludeStarved, findEndedStreams, selectHooks } from '../faults/recording-queries.ts';
import { scale } from '../faults/scale.ts';

/** Lists the kinds of keys that a Redis holds: the name after the prefix, up to the next colon. */
async function listKeyKinds(url: string): Promise<string[]> {
  const redis = new Redis(url);
  try {
    const keys = await redis.keys('*');
    return [...new Set(keys.map((key) => /^\{[^}]*\}:([a-z]+)/.exec(key)?.[1] ?? key))].sort();
  } finally {
    redis.disconnect();
  }
}

/**
 * Lists the kinds of keys until all of `awaited` were among them: a limit has a key only until its burst is available
 * again, the counts of waiting hooks have one while hooks wait, and the control log has one after the first revocation.
 */
async function collectKeyKinds(url: string, awaited: readonly string[]): Promise<string[]> {
  const kinds = new Set<string>();
  const hasSeenAwaited = async () => {
    for (const kind of await listKeyKinds(url)) kinds.add(kind);
    return awaited.every((kind) => kinds.has(kind));
  };
  await eventually(hasSeenAwaited, `keys of the kinds ${awaited}`);
  return [...kinds].sort();
}

describe.runIf(isHaproxyInstalled())('with a separate Redis for events, a cluster under load', () => {
  let cluster: FaultRun['cluster'];
  let load: FaultRun['load'];
  let checkpoints: FaultRun['checkpoints'];

  const options = { hasEventsRedis: true, environment: { API_RATE_PER_SECOND: '20' }, revocationsPerSecond: 0.2 };
  useFaultRun('separate events Redis', options, (run) => {
    ({ cluster, load, checkpoints } = run);
  });

  test('keeps the queue and the limits in REDIS_URL, both logs and the states of processes in EVENTS_REDIS_URL', async () => {
    // While no worker runs, hooks wait.
    for (const worker of cluster.workers) worker.freeze();
    const queueKinds = await collectKeyKinds(cluster.redis.url, ['limit', 'waiting']);
    for (const worker of cluster.workers) worker.thaw();
    expect(queueKinds).toEqual(['hooks', 'limit', 'waiting']);
    const inEventsRedis = ['control', 'log', 'process', 'processes'];
    expect(await collectKeyKinds(cluster.eventsRedis.url, inEventsRedis)).toEqual(inEventsRedis);
  });

  test('accepts every hook while the events Redis is down, ends no stream, and publishes everything afterwards', async () => {
    const { eventsRedis, eventsRedisLink } = cluster;
    const fromMs = performance.now();
    await Promise.all([eventsRedis.kill(), eventsRedisLink.refuse()]);
    await delay(scale.redisDownMs);
    await Promise.all([eventsRedis.start(), eventsRedisLink.mend()]);
    const toMs = performance.now();
    await checkpoints.take('kill -9 of the events Redis, which restarts with its file');
    const hooks = excludeStarved(selectHooks(load.recording, { fromMs, toMs }));
    expect(hooks.length).toBeGreaterThan(0);
    expect(hooks.filter(({ status }) => status !== 202)).toEqual([]);
    expect(findEndedStreams(load.recording, { fromMs, toMs })).toEqual([]);
    expect(countGapReasons(load.recording)).toEqual({});
    const warned = cluster.pods[0]?.process.lines.map(({ msg }) => msg) ?? [];
    expect(warned.filter((msg) => msg?.includes('redis is unavailable'))).toEqual([
      expect.stringContaining('EVENTS_REDIS_URL'),
    ]);
  });

  test('refuses hooks while the Redis of the queue is down, ends no stream, and loses nothing', async () => {
    const { redis, redisLink } = cluster;
    const fromMs = performance.now();
    await Promise.all([redis.kill(), redisLink.refuse()]);
    await delay(scale.redisDownMs);
    const downUntilMs = performance.now();
    await Promise.all([redis.start(), redisLink.mend()]);
    await checkpoints.take('kill -9 of the queue’s Redis alone, which restarts with its file');
    expectRedisOutage(load.recording, { fromMs, toMs: downUntilMs });
  });

  test('loses no hook when the events Redis comes back empty, and every stream receives stream.gap', async () => {
    await Promise.all([cluster.eventsRedis.kill(), cluster.eventsRedisLink.refuse()]);
    await cluster.eventsRedis.deleteData();
    await Promise.all([cluster.eventsRedis.start(), cluster.eventsRedisLink.mend()]);
    await checkpoints.take('the events Redis comes back empty', {
      gaps: true,
      isLast: true,
      withinMs: 60_000,
    });
    expect(countGapReasons(load.recording)['epoch-changed']).toBeGreaterThan(0);
  });
});
