import { expect, it } from 'vitest';
import { MemoryRateLimiter } from './memory-rate-limiter.ts';

const limit = { ratePerSecond: 1, burst: 2 };
const one = { limit, atLeast: 1, atMost: 1 };

function aLimiter(keysMax: number) {
  const clock = { nowMs: 5 };
  return { clock, limiter: new MemoryRateLimiter({ monotonicMs: () => clock.nowMs, keysMax }) };
}

it('forgets a key when its burst is whole again', async () => {
  const { clock, limiter } = aLimiter(10_000);
  for (let index = 0; index < 999; index += 1) await limiter.take({ key: `old ${index}`, ...one });
  expect(limiter.size).toBe(999);
  clock.nowMs += 1_000;
  await limiter.take({ key: 'new', ...one });
  expect(limiter.size).toBe(1);
});

it('keeps no key for who only looks, or has given everything back', async () => {
  const { limiter } = aLimiter(10_000);
  await limiter.take({ key: 'a', limit, atLeast: 0, atMost: 0 });
  expect(limiter.size).toBe(0);
  await limiter.take({ key: 'a', ...one });
  await limiter.giveBack('a', limit, 1);
  expect(limiter.size).toBe(0);
});

it('holds a bounded number of keys, and keeps limiting the ones that are asked for', async () => {
  const { limiter } = aLimiter(100);
  for (let taken = 0; taken < 2; taken += 1) await limiter.take({ key: 'busy', ...one });
  for (let index = 0; index < 5_000; index += 1) {
    await limiter.take({ key: `passing ${index}`, ...one });
    expect(limiter.size).toBeLessThanOrEqual(100);
    if (index % 50 === 0) expect((await limiter.take({ key: 'busy', ...one })).granted).toBe(0);
  }
});

it('makes room by keys that are whole again before it forgets one that is not', async () => {
  const { clock, limiter } = aLimiter(3);
  await limiter.take({ key: 'limited', limit: { ratePerSecond: 0.001, burst: 1 }, atLeast: 1, atMost: 1 });
  for (const key of ['b', 'c']) await limiter.take({ key, ...one });
  clock.nowMs += 2_000;
  for (const key of ['d', 'e']) await limiter.take({ key, ...one });
  const still = { key: 'limited', limit: { ratePerSecond: 0.001, burst: 1 }, atLeast: 1, atMost: 1 };
  expect((await limiter.take(still)).granted).toBe(0);
});
