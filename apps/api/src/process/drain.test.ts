import { expect, test } from 'vitest';
import { drainMaxMs } from './drain.ts';

test('bounds a drain by the delay, the window, and 35 s for requests, tasks and connections', () => {
  expect(drainMaxMs({ delayMs: 5_000, windowMs: 20_000 })).toBe(60_000);
  expect(drainMaxMs({ delayMs: 600_000, windowMs: 600_000 })).toBe(1_235_000);
});
