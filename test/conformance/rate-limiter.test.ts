import { randomUUID } from 'node:crypto';
import { redisKeys } from '@widget-service/cluster/redis/keys.ts';
import { RedisRateLimiter } from '@widget-service/cluster/redis/redis-rate-limiter.ts';
import { type RateLimit, returnPermits, takePermits } from '@widget-service/shared/domain/gcra.ts';
import fc from 'fast-check';
import { Redis } from 'ioredis';
import { afterAll, describe, expect, inject, test } from 'vitest';
import { openSharedBackend } from '../drivers/app/open-shared.ts';
import { findQueueRedis } from '../drivers/cluster/test-redis.ts';
import { eventually } from '../drivers/tools/eventually.ts';

/** So slow that no permit returns while a test runs. */
const slow: RateLimit = { ratePerSecond: 0.0001, burst: 5 };
const permitMs = 10_000_000;
/** The tolerance of a remaining time: an upper limit of how long one test takes. */
const testMs = 15_000;

describe('RateLimiter.take and giveBack', async () => {
  const testBackend = await openSharedBackend();
  const limiter = () => testBackend.backend.rateLimiter;
  const takeOne = (key: string, limit = slow) => limiter().take({ key, limit, atLeast: 1, atMost: 1 });
  const readRemaining = (key: string, limit = slow) => limiter().take({ key, limit, atLeast: 0, atMost: 0 });

  test('grants the whole burst of a new key, then returns how long to wait', async () => {
    const key = `hooks:${randomUUID()}`;
    for (const remaining of [4, 3, 2, 1, 0]) {
      expect(await takeOne(key)).toMatchObject({ granted: 1, remaining, retryAfterMs: 0 });
    }
    const rejected = await takeOne(key);
    expect(rejected).toMatchObject({ granted: 0, remaining: 0 });
    expect(rejected.retryAfterMs).toBeLessThanOrEqual(permitMs);
    expect(rejected.retryAfterMs).toBeGreaterThan(permitMs - testMs);
    expect(rejected.resetAfterMs).toBeLessThanOrEqual(5 * permitMs);
    expect(rejected.resetAfterMs).toBeGreaterThan(5 * permitMs - testMs);
  });

  test('grants up to atMost permits, and none if fewer than atLeast are left', async () => {
    const key = randomUUID();
    const take = (atLeast: number, atMost: number) => limiter().take({ key, limit: slow, atLeast, atMost });
    expect(await take(1, 3)).toMatchObject({ granted: 3, remaining: 2, retryAfterMs: 0 });
    const rejected = await take(4, 5);
    expect(rejected).toMatchObject({ granted: 0, remaining: 2 });
    expect(rejected.retryAfterMs).toBeGreaterThan(2 * permitMs - testMs);
    expect(rejected.retryAfterMs).toBeLessThanOrEqual(2 * permitMs);
    expect(await take(1, 100)).toMatchObject({ granted: 2, remaining: 0 });
  });

  test('takes no permit when atMost is 0', async () => {
    const key = randomUUID();
    expect(await readRemaining(key)).toEqual({ granted: 0, remaining: 5, retryAfterMs: 0, resetAfterMs: 0 });
    await takeOne(key);
    for (let repeat = 0; repeat < 3; repeat += 1)
      expect(await readRemaining(key)).toMatchObject({ granted: 0, remaining: 4 });
  });

  test('keeps keys apart, whatever characters they contain', async () => {
    const keys = ['a', 'a:b', 'a b', 'é', '{x}', '*', ''].map((name) => `${randomUUID()}:${name}`);
    for (const key of keys) await limiter().take({ key, limit: slow, atLeast: 5, atMost: 5 });
    for (const key of keys) expect((await takeOne(key)).granted).toBe(0);
    expect((await takeOne(randomUUID())).granted).toBe(1);
  });

  test('giveBack returns unused permits, and never exceeds the burst', async () => {
    const key = randomUUID();
    await limiter().take({ key, limit: slow, atLeast: 5, atMost: 5 });
    await limiter().giveBack(key, slow, 2);
    expect(await readRemaining(key)).toMatchObject({ remaining: 2 });
    await limiter().giveBack(key, slow, 100);
    expect(await readRemaining(key)).toMatchObject({ remaining: 5, resetAfterMs: 0 });
    await limiter().giveBack(key, slow, 1);
    expect(await readRemaining(key)).toMatchObject({ remaining: 5 });
    await limiter().giveBack(randomUUID(), slow, 1);
  });

  test('grants exactly the burst to 100 concurrent calls', async () => {
    const key = randomUUID();
    const limit = { ratePerSecond: 0.0001, burst: 20 };
    const outcomes = await Promise.all(Array.from({ length: 100 }, () => takeOne(key, limit)));
    expect(outcomes.filter(({ granted }) => granted === 1)).toHaveLength(20);
  });

  test('grants a permit again as time passes, with a burst of 1', async () => {
    const key = randomUUID();
    const limit = { ratePerSecond: 20, burst: 1 };
    expect((await takeOne(key, limit)).granted).toBe(1);
    const rejected = await takeOne(key, limit);
    expect(rejected.granted).toBe(0);
    expect(rejected.retryAfterMs).toBeLessThanOrEqual(50);
    await eventually(async () => (await takeOne(key, limit)).granted === 1, 'a permit is granted again', 2_000);
  });

  test('after the burst is lowered, a caller waits no longer than if the new burst had just been used up', async () => {
    const key = randomUUID();
    await limiter().take({ key, limit: { ratePerSecond: 0.0001, burst: 1_000 }, atLeast: 1_000, atMost: 1_000 });
    const rejected = await takeOne(key);
    expect(rejected).toMatchObject({ granted: 0 });
    expect(rejected.retryAfterMs).toBeLessThanOrEqual(permitMs);
  });

  test('agrees with takePermits and returnPermits for any sequence of take and giveBack', async () => {
    const sequences = fc.array(
      fc.record({
        isGiveBack: fc.boolean(),
        atLeast: fc.integer({ min: 0, max: 4 }),
        more: fc.integer({ min: 0, max: 4 }),
      }),
      { maxLength: 25 },
    );
    await fc.assert(
      fc.asyncProperty(sequences, async (calls) => {
        const key = randomUUID();
        let fullAtMs = 0;
        for (const { isGiveBack, atLeast, more } of calls) {
          if (isGiveBack) {
            await limiter().giveBack(key, slow, atLeast);
            fullAtMs = returnPermits(fullAtMs, 1, slow, atLeast);
          } else {
            const wanted = { atLeast, atMost: atLeast + more };
            const expected = takePermits(fullAtMs, 1, slow, wanted);
            fullAtMs = expected.fullAtMs;
            const { granted, remaining } = expected.outcome;
            expect(await limiter().take({ key, limit: slow, ...wanted })).toMatchObject({ granted, remaining });
          }
        }
      }),
      { numRuns: 30 },
    );
  });
});

describe.runIf(inject('backend') === 'cluster')('The rate limiter of Redis', () => {
  const keys = redisKeys(`t-${randomUUID()}`);
  const connections: Redis[] = [];
  const aPod = () => {
    const redis = new Redis(findQueueRedis().operatorUrl);
    connections.push(redis);
    return new RedisRateLimiter(redis, keys);
  };
  afterAll(() => {
    for (const redis of connections) redis.disconnect();
  });

  test('applies one limit to all pods', async () => {
    const [first, second] = [aPod(), aPod()];
    const request = { key: 'shared', limit: slow, atLeast: 1, atMost: 3 };
    expect(await first.take(request)).toMatchObject({ granted: 3 });
    expect(await second.take(request)).toMatchObject({ granted: 2 });
    expect(await first.take(request)).toMatchObject({ granted: 0 });
    await connections[0]?.unlink(keys.limit('shared'));
  });

  test('deletes a key once its burst is complete again', async () => {
    const pod = aPod();
    const [redis] = connections;
    const readExpiryMs = (name: string) => redis?.pttl(keys.limit(name));
    const minuteLimit = { ratePerSecond: 1, burst: 60 };
    await pod.take({ key: 'used', limit: minuteLimit, atLeast: 1, atMost: 60 });
    expect(await readExpiryMs('used')).toBeGreaterThan(60_000 - testMs);
    expect(await readExpiryMs('used')).toBeLessThanOrEqual(60_000);
    await pod.giveBack('used', minuteLimit, 30);
    expect(await readExpiryMs('used')).toBeLessThanOrEqual(30_000);
    await pod.giveBack('used', minuteLimit, 30);
    expect(await redis?.exists(keys.limit('used'))).toBe(0);
    await pod.take({ key: 'brief', limit: { ratePerSecond: 100, burst: 1 }, atLeast: 1, atMost: 1 });
    await eventually(async () => (await redis?.exists(keys.limit('brief'))) === 0, 'the key is gone', 2_000);
  });
});
