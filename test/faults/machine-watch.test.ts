import { expect, onTestFinished, test, vi } from 'vitest';
import { watchMachine } from './machine-watch.ts';

function watch() {
  vi.useFakeTimers();
  const machine = { elapsedMs: 0, stolenMs: 0 };
  const watched = watchMachine({ elapsedMs: () => machine.elapsedMs, stolenMs: () => machine.stolenMs });
  onTestFinished(() => {
    watched.close();
    vi.useRealTimers();
  });
  const pass = (ms: number, stolenShare: number) => {
    for (let passed = 0; passed < ms; passed += 100) {
      machine.elapsedMs += 100;
      machine.stolenMs += 100 * stolenShare;
      vi.advanceTimersByTime(100);
    }
  };
  return { ...watched, pass };
}

test('a time is starved when more than a quarter of it, and of the second before, was given to others', () => {
  const { pass, wasStarved } = watch();
  pass(5_000, 0.1);
  pass(2_000, 0.8);
  pass(5_000, 0.1);
  expect(wasStarved(1_500, 4_000)).toBe(false);
  expect(wasStarved(5_500, 6_000)).toBe(true);
  expect(wasStarved(7_100, 7_200)).toBe(true);
  expect(wasStarved(9_000, 10_000)).toBe(false);
});

test('so is one that has just begun to be', () => {
  const { pass, wasStarved } = watch();
  pass(500, 0.9);
  expect(wasStarved(400, 500)).toBe(true);
});
