import { expect, onTestFinished, test, vi } from 'vitest';
import { watchCpuSteal } from './cpu-steal.ts';

function watch() {
  vi.useFakeTimers();
  const machine = { elapsedMs: 0, stolenMs: 0 };
  const watched = watchCpuSteal({ elapsedMs: () => machine.elapsedMs, stolenMs: () => machine.stolenMs });
  onTestFinished(() => {
    watched.close();
    vi.useRealTimers();
  });
  const letTimePass = (ms: number, stolenShare: number) => {
    for (let passed = 0; passed < ms; passed += 100) {
      machine.elapsedMs += 100;
      machine.stolenMs += 100 * stolenShare;
      vi.advanceTimersByTime(100);
    }
  };
  return { ...watched, letTimePass };
}

test('a range is starved if more than a quarter of it and of the second before it was stolen', () => {
  const { letTimePass, wasStarved } = watch();
  letTimePass(5_000, 0.1);
  letTimePass(2_000, 0.8);
  letTimePass(5_000, 0.1);
  expect(wasStarved(1_500, 4_000)).toBe(false);
  expect(wasStarved(5_500, 6_000)).toBe(true);
  expect(wasStarved(7_100, 7_200)).toBe(true);
  expect(wasStarved(9_000, 10_000)).toBe(false);
});

test('a range right after the start of the watch can be starved too', () => {
  const { letTimePass, wasStarved } = watch();
  letTimePass(500, 0.9);
  expect(wasStarved(400, 500)).toBe(true);
});
