import { expect, test } from 'vitest';
import { drainMaxMs } from './open-process.ts';

test('bounds a drain by the delay, the window, and 35 s for requests, tasks and connections', () => {
  expect(drainMaxMs(5_000)).toBe(60_000);
  expect(drainMaxMs(600_000)).toBe(3_035_000);
});
