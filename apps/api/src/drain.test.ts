import { expect, it } from 'vitest';
import { drainMaxMs } from './drain.ts';

it('may take as long as its settings say, and then what requests, tasks and connections may', () => {
  expect(drainMaxMs({ delayMs: 5_000, windowMs: 20_000 })).toBe(60_000);
  expect(drainMaxMs({ delayMs: 600_000, windowMs: 600_000 })).toBe(1_235_000);
});
