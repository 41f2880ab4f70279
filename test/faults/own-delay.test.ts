import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { watchOwnDelay } from './own-delay.ts';

test('tells for how long nothing here was run, and no more', async () => {
  const ownDelay = watchOwnDelay();
  await delay(50);
  const sinceMs = performance.now();
  while (performance.now() - sinceMs < 300);
  await delay(50);
  const toldMs = ownDelay.since(sinceMs);
  const passedMs = performance.now() - sinceMs;
  ownDelay.close();
  expect(toldMs).toBeGreaterThan(250);
  expect(toldMs).toBeLessThanOrEqual(passedMs);
  expect(ownDelay.since(performance.now())).toBeLessThan(50);
});
