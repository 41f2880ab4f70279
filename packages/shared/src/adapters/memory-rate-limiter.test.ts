import { expect, test } from 'vitest';
import { MemoryRateLimiter, makeTakeLocally } from './memory-rate-limiter.ts';

const limit = { ratePerSecond: 1, burst: 2 };
const onePermit = { limit, atLeast: 1, atMost: 1 };

function buildLimiter(maxKeys: number) {
  const clock = { nowMs: 5 };
  return { clock, limiter: new MemoryRateLimiter({ monotonicMs: () => clock.nowMs }, maxKeys) };
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

test('a limit of this pod grants the burst and the rate to each key', () => {
  const take = makeTakeLocally({ ratePerSecond: 1 / 60, burst: 20 });
  let granted = 0;
  for (let second = 0; second < 3_600; second += 1) {
    if (take('a', second * 1_000)) granted += 1;
    if (second % 600 === 0) expect(take('b', second * 1_000)).toBe(true);
  }
  expect(granted).toBe(20 + 59);
});

test('a limit of this pod forgets the key that was used longest ago, beyond 10 000 keys', () => {
  const take = makeTakeLocally({ ratePerSecond: 1, burst: 1 });
  for (let index = 0; index <= 10_000; index += 1) expect(take(`${index}`, 0)).toBe(true);
  expect(take('10000', 0)).toBe(false);
  expect(take('0', 0)).toBe(true);
});
