import { expect, test } from 'vitest';
import { makeMayList } from './may-list.ts';

test('one network cannot fill a list of 100 within an hour, and another one may list all the while', () => {
  const mayList = makeMayList({ ratePerSecond: 1 / 60, burst: 20 });
  const startMs = Date.now();
  let listed = 0;
  for (let second = 0; second < 3_600; second += 1) {
    const now = new Date(startMs + second * 1_000);
    if (mayList('integration', '198.51.100.7', now)) listed += 1;
    if (second % 600 === 0) expect(mayList('integration', '203.0.113.9', now)).toBe(true);
  }
  expect(listed).toBeLessThanOrEqual(80);
  expect(mayList('another', '198.51.100.7', new Date(startMs))).toBe(true);
});

test('networks that come and go do not use up the memory', () => {
  const mayList = makeMayList({ ratePerSecond: 1, burst: 1 });
  for (let index = 0; index < 10_000; index += 1) expect(mayList('i', `${index}`, new Date(0))).toBe(true);
  expect(mayList('i', 'one more', new Date(0))).toBe(false);
  expect(mayList('i', 'one more', new Date(2_000))).toBe(true);
});
