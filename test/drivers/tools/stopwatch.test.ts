import { expect, onTestFinished, test, vi } from 'vitest';
import { parseStolenMs, startStopwatch, watchCpuSteal } from './stopwatch.ts';

/** Starts a stopwatch at these readings. The test sets later readings in `now`. */
function startAt(elapsedMs: number, stolenMs: number) {
  const now = { elapsedMs, stolenMs };
  const read = startStopwatch({ elapsedMs: () => now.elapsedMs, stolenMs: () => now.stolenMs });
  return { now, read };
}

test('subtracts the CPU time that was stolen since its start, and none that was stolen before', () => {
  const { now, read } = startAt(5_000, 300);
  Object.assign(now, { elapsedMs: 7_000, stolenMs: 800 });
  expect(read()).toBe(1_500);
});

test('returns at least a fifth of the elapsed time, even if more than the rest was stolen', () => {
  const { now, read } = startAt(0, 0);
  Object.assign(now, { elapsedMs: 1_000, stolenMs: 5_000 });
  expect(read()).toBeCloseTo(200);
});

test('returns the mean stolen time per processor, from the text of /proc/stat', () => {
  // The eighth number is the stolen time, in 1/100 s: 60 for both processors together.
  const lines = [
    'cpu  10 0 20 400 0 0 0 60 0 0',
    'cpu0 5 0 10 200 0 0 0 50 0 0',
    'cpu1 5 0 10 200 0 0 0 10 0 0',
    'intr 1',
  ];
  expect(parseStolenMs(lines.join('\n'))).toBe(300);
});

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
