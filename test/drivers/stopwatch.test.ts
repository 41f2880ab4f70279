import { expect, it } from 'vitest';
import { startStopwatch, stolenMsOf } from './stopwatch.ts';

function startAt(elapsedMs: number, stolenMs: number) {
  const now = { elapsedMs, stolenMs };
  const read = startStopwatch({ elapsedMs: () => now.elapsedMs, stolenMs: () => now.stolenMs });
  return { now, read };
}

it('tells the time since it was started', () => {
  const { now, read } = startAt(5_000, 0);
  now.elapsedMs = 7_500;
  expect(read()).toBe(2_500);
});

it('leaves out what was stolen since then, and nothing that was stolen before', () => {
  const { now, read } = startAt(5_000, 300);
  Object.assign(now, { elapsedMs: 7_000, stolenMs: 800 });
  expect(read()).toBe(1_500);
});

it('counts at least a fifth of the time, however much was stolen', () => {
  const { now, read } = startAt(0, 0);
  Object.assign(now, { elapsedMs: 1_000, stolenMs: 5_000 });
  expect(read()).toBeCloseTo(200);
});

it('reads the steal of all processors together as so much for each of them', () => {
  const lines = [
    'cpu  10 0 20 400 0 0 0 60 0 0',
    'cpu0 5 0 10 200 0 0 0 50 0 0',
    'cpu1 5 0 10 200 0 0 0 10 0 0',
    'intr 1',
  ];
  expect(stolenMsOf(lines.join('\n'))).toBe(300);
});

it('reads none where none is told', () => {
  expect(stolenMsOf('')).toBe(0);
});
