import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { watchEventLoopDelay } from './event-loop-delay.ts';

test('returns how long the event loop of this process was blocked, and no more', async () => {
  const eventLoopDelay = watchEventLoopDelay();
  await delay(50);
  const sinceMs = performance.now();
  while (performance.now() - sinceMs < 300);
  await delay(50);
  const delayMs = eventLoopDelay.since(sinceMs);
  const passedMs = performance.now() - sinceMs;
  eventLoopDelay.close();
  expect(delayMs).toBeGreaterThan(250);
  expect(delayMs).toBeLessThanOrEqual(passedMs);
  expect(eventLoopDelay.since(performance.now())).toBeLessThan(50);
});
