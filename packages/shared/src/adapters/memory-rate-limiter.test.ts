import { expect, test } from 'vitest';
import { MemoryRateLimiter } from './memory-rate-limiter.ts';

const limit = { ratePerSecond: 1, burst: 2 };
const onePermit = { limit, atLeast: 1, atMost: 1 };

function buildLimiter(maxKeys: number) {
  const clock = { nowMs: 5 };
  return { clock, limiter: new MemoryRateLimiter({ monotonicMs: () => clock.nowMs, maxKeys }) };
}

test('drops a key once its whole burst is available', async () => {
  const { clock, limiter } = buildLimiter(10_000);
  for (let index = 0; index < 999; index += 1) await limiter.take({ key: `old ${index}`, ...onePermit });
  expect(limiter.size).toBe(999);
  clock.nowMs += 1_000;
  await limiter.take({ key: 'new', ...onePermit });
  expect(limiter.size).toBe(1);
});

test('keeps no key for a request that takes no permits, or returns all of them', async () => {
  const { limiter } = buildLimiter(10_000);
  await limiter.take({ key: 'a', limit, atLeast: 0, atMost: 0 });
  expect(limiter.size).toBe(0);
  await limiter.take({ key: 'a', ...onePermit });
  await limiter.giveBack('a', limit, 1);
  expect(limiter.size).toBe(0);
});

test('keeps at most maxKeys keys, and still limits a key in use', async () => {
  const { limiter } = buildLimiter(100);
  for (let taken = 0; taken < 2; taken += 1) await limiter.take({ key: 'busy', ...onePermit });
  for (let index = 0; index < 5_000; index += 1) {
    await limiter.take({ key: `passing ${index}`, ...onePermit });
    expect(limiter.size).toBeLessThanOrEqual(100);
    if (index % 50 === 0) expect((await limiter.take({ key: 'busy', ...onePermit })).granted).toBe(0);
  }
});

test('drops keys with a whole burst before a key that it limits', async () => {
  const { clock, limiter } = buildLimiter(3);
  await limiter.take({ key: 'limited', limit: { ratePerSecond: 0.001, burst: 1 }, atLeast: 1, atMost: 1 });
  for (const key of ['b', 'c']) await limiter.take({ key, ...onePermit });
  clock.nowMs += 2_000;
  for (const key of ['d', 'e']) await limiter.take({ key, ...onePermit });
  const request = { key: 'limited', limit: { ratePerSecond: 0.001, burst: 1 }, atLeast: 1, atMost: 1 };
  expect((await limiter.take(request)).granted).toBe(0);
});
