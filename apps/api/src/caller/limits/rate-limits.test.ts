import { expect, test } from 'vitest';
import { makeTakeLocally } from './rate-limits.ts';

test('grants the burst and the rate to each key', () => {
  const take = makeTakeLocally({ ratePerSecond: 1 / 60, burst: 20 });
  let granted = 0;
  for (let second = 0; second < 3_600; second += 1) {
    if (take('a', second * 1_000)) granted += 1;
    if (second % 600 === 0) expect(take('b', second * 1_000)).toBe(true);
  }
  expect(granted).toBe(20 + 59);
});

test('forgets the key that was used longest ago, beyond 10 000 keys', () => {
  const take = makeTakeLocally({ ratePerSecond: 1, burst: 1 });
  for (let index = 0; index <= 10_000; index += 1) expect(take(`${index}`, 0)).toBe(true);
  expect(take('10000', 0)).toBe(false);
  expect(take('0', 0)).toBe(true);
});
