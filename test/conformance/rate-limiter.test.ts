import { randomUUID } from 'node:crypto';
import { redisKeys } from '@widget-service/cluster/redis/keys.ts';
import { RedisRateLimiter } from '@widget-service/cluster/redis/redis-rate-limiter.ts';
import { type RateLimit, returnPermits, takePermits } from '@widget-service/shared/domain/gcra.ts';
import fc from 'fast-check';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { eventually } from '../drivers/eventually.ts';
import { openTestBackend } from '../drivers/open-test-backend.ts';
import type { TestBackend } from '../drivers/test-backend.ts';

/** So slow that no permit comes back while a test runs. */
const slow: RateLimit = { ratePerSecond: 0.0001, burst: 5 };
const permitMs = 10_000_000;
/** Less than a test takes is lost of a time until something. */
const testMs = 15_000;

describe('RateLimiter', () => {
  let store: TestBackend;
  beforeAll(async () => {
    store = await openTestBackend();
  });
  afterAll(() => store.dispose());
  const limiter = () => store.backend.rateLimiter;
  const takeOne = (key: string, limit = slow) => limiter().take({ key, limit, atLeast: 1, atMost: 1 });
  const look = (key: string, limit = slow) => limiter().take({ key, limit, atLeast: 0, atMost: 0 });

  it('grants the burst of a key it has never seen, one by one, and then says how long to wait', async () => {
    const key = `hooks:${randomUUID()}`;
    for (const remaining of [4, 3, 2, 1, 0]) {
      expect(await takeOne(key)).toMatchObject({ granted: 1, remaining, retryAfterMs: 0 });
    }
    const refused = await takeOne(key);
    expect(refused).toMatchObject({ granted: 0, remaining: 0 });
    expect(refused.retryAfterMs).toBeLessThanOrEqual(permitMs);
    expect(refused.retryAfterMs).toBeGreaterThan(permitMs - testMs);
    expect(refused.resetAfterMs).toBeLessThanOrEqual(5 * permitMs);
    expect(refused.resetAfterMs).toBeGreaterThan(5 * permitMs - testMs);
  });

  it('takes what there is up to atMost, and nothing below atLeast', async () => {
    const key = randomUUID();
    const take = (atLeast: number, atMost: number) => limiter().take({ key, limit: slow, atLeast, atMost });
    expect(await take(1, 3)).toMatchObject({ granted: 3, remaining: 2, retryAfterMs: 0 });
    const refused = await take(4, 5);
    expect(refused).toMatchObject({ granted: 0, remaining: 2 });
    expect(refused.retryAfterMs).toBeGreaterThan(2 * permitMs - testMs);
    expect(refused.retryAfterMs).toBeLessThanOrEqual(2 * permitMs);
    expect(await take(1, 100)).toMatchObject({ granted: 2, remaining: 0 });
  });

  it('changes nothing when it is only asked what is left', async () => {
    const key = randomUUID();
    expect(await look(key)).toEqual({ granted: 0, remaining: 5, retryAfterMs: 0, resetAfterMs: 0 });
    await takeOne(key);
    for (let times = 0; times < 3; times += 1) expect(await look(key)).toMatchObject({ granted: 0, remaining: 4 });
  });

  it('keeps the keys apart, whatever their names are', async () => {
    const keys = ['a', 'a:b', 'a b', 'é', '{x}', '*', ''].map((name) => `${randomUUID()}:${name}`);
    for (const key of keys) await limiter().take({ key, limit: slow, atLeast: 5, atMost: 5 });
    for (const key of keys) expect((await takeOne(key)).granted).toBe(0);
    expect((await takeOne(randomUUID())).granted).toBe(1);
  });

  it('takes back what was not used, and never more than was missing', async () => {
    const key = randomUUID();
    await limiter().take({ key, limit: slow, atLeast: 5, atMost: 5 });
    await limiter().giveBack(key, slow, 2);
    expect(await look(key)).toMatchObject({ remaining: 2 });
    await limiter().giveBack(key, slow, 100);
    expect(await look(key)).toMatchObject({ remaining: 5, resetAfterMs: 0 });
    await limiter().giveBack(key, slow, 1);
    expect(await look(key)).toMatchObject({ remaining: 5 });
    await limiter().giveBack(randomUUID(), slow, 1);
  });

  it('grants exactly the burst to many who ask at once', async () => {
    const key = randomUUID();
    const limit = { ratePerSecond: 0.0001, burst: 20 };
    const outcomes = await Promise.all(Array.from({ length: 100 }, () => takeOne(key, limit)));
    expect(outcomes.filter(({ granted }) => granted === 1)).toHaveLength(20);
  });

  it('grants again as time passes, for a burst of one too', async () => {
    const key = randomUUID();
    const limit = { ratePerSecond: 20, burst: 1 };
    expect((await takeOne(key, limit)).granted).toBe(1);
    const refused = await takeOne(key, limit);
    expect(refused.granted).toBe(0);
    expect(refused.retryAfterMs).toBeLessThanOrEqual(50);
    await eventually(async () => (await takeOne(key, limit)).granted === 1, 'a permit has come back', 2_000);
  });

  it('is bound by the new burst at once when a limit was lowered', async () => {
    const key = randomUUID();
    await limiter().take({ key, limit: { ratePerSecond: 0.0001, burst: 1_000 }, atLeast: 1_000, atMost: 1_000 });
    const refused = await takeOne(key);
    expect(refused).toMatchObject({ granted: 0 });
    expect(refused.retryAfterMs).toBeLessThanOrEqual(permitMs);
  });

  it('counts as the model does, in every order of taking and giving back', async () => {
    const steps = fc.array(
      fc.record({
        back: fc.boolean(),
        atLeast: fc.integer({ min: 0, max: 4 }),
        more: fc.integer({ min: 0, max: 4 }),
      }),
      { maxLength: 25 },
    );
    await fc.assert(
      fc.asyncProperty(steps, async (asked) => {
        const key = randomUUID();
        let fullAtMs = 0;
        for (const { back, atLeast, more } of asked) {
          if (back) {
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

describe.runIf(inject('backend') === 'cluster')('RateLimiter on Redis', () => {
  const keys = redisKeys(`t-${randomUUID()}`);
  const connections: Redis[] = [];
  const aPod = () => {
    const redis = new Redis(process.env.REDIS_URL ?? '');
    connections.push(redis);
    return new RedisRateLimiter({ redis, keys });
  };
  afterAll(() => {
    for (const redis of connections) redis.disconnect();
  });

  it('is one limit for all pods', async () => {
    const [one, other] = [aPod(), aPod()];
    const request = { key: 'shared', limit: slow, atLeast: 1, atMost: 3 };
    expect(await one.take(request)).toMatchObject({ granted: 3 });
    expect(await other.take(request)).toMatchObject({ granted: 2 });
    expect(await one.take(request)).toMatchObject({ granted: 0 });
    await connections[0]?.unlink(keys.limit('shared'));
  });

  it('leaves nothing behind: a key goes when its burst is whole again, or given back', async () => {
    const pod = aPod();
    const [redis] = connections;
    const left = (name: string) => redis?.pttl(keys.limit(name));
    const minute = { ratePerSecond: 1, burst: 60 };
    await pod.take({ key: 'used', limit: minute, atLeast: 1, atMost: 60 });
    expect(await left('used')).toBeGreaterThan(60_000 - testMs);
    expect(await left('used')).toBeLessThanOrEqual(60_000);
    await pod.giveBack('used', minute, 30);
    expect(await left('used')).toBeLessThanOrEqual(30_000);
    await pod.giveBack('used', minute, 30);
    expect(await redis?.exists(keys.limit('used'))).toBe(0);
    await pod.take({ key: 'brief', limit: { ratePerSecond: 100, burst: 1 }, atLeast: 1, atMost: 1 });
    await eventually(async () => (await redis?.exists(keys.limit('brief'))) === 0, 'the key is gone', 2_000);
  });
});
