import { UnavailableError } from '@widget-service/shared/domain/errors.ts';
import type { ComparablePosition } from '@widget-service/shared/ports/run-registry.ts';
import { expect, test } from 'vitest';
import { IsolationDetector } from './isolation-detector.ts';

const position = (seq: number): ComparablePosition => ({ epochRun: 1, epoch: 'e1', ms: 1_000 + seq, seq });

function openDetector() {
  const state = { nowMs: 0, recorded: position(1) as ComparablePosition | null | UnavailableError };
  const lastPosition = async () => {
    if (state.recorded instanceof UnavailableError) throw state.recorded;
    return state.recorded;
  };
  const detector = new IsolationDetector({ lastPosition }, { monotonicMs: () => state.nowMs });
  /** Reports a failed read at this second. `recorded` is the recorded position, or the failure of the run registry. */
  const failAt = (second: number, recorded: number | null | UnavailableError) => {
    state.nowMs = second * 1_000;
    state.recorded = typeof recorded === 'number' ? position(recorded) : recorded;
    return detector.recordFailure();
  };
  return { detector, failAt };
}

const unavailable = new UnavailableError('MongoDB is unavailable');

test('after 10 s of failures, reports isolation 10 s after it has seen the recorded position move', async () => {
  const { failAt } = openDetector();
  const results = [];
  for (const [second, recorded] of [
    [0, 1],
    [9.999, 8],
    [10, 9],
    [14, 20],
    [23.999, 50],
    [24, 51],
    [30, 60],
  ] as const) {
    results.push(await failAt(second, recorded));
  }
  expect(results).toEqual([false, false, false, false, false, true, true]);
});

test.each([
  ['nobody appends because the log is unavailable to all', 1],
  ['nothing was ever appended', null],
  ['MongoDB is unavailable too', unavailable],
])('does not report isolation while %s', async (_, recorded) => {
  const { failAt } = openDetector();
  for (let second = 0; second < 120; second += 5) expect(await failAt(second, recorded)).toBe(false);
});

test('ignores positions that were recorded in the first 10 s of failures', async () => {
  const { failAt } = openDetector();
  await failAt(0, 1);
  await failAt(5, 2);
  for (let second = 10; second < 120; second += 5) expect(await failAt(second, 3)).toBe(false);
});

test('starts again after a successful read', async () => {
  const { detector, failAt } = openDetector();
  for (const second of [0, 10, 20]) await failAt(second, second);
  detector.recordSuccess();
  expect(await failAt(30, 30)).toBe(false);
  for (const second of [35, 40, 45, 50]) expect(await failAt(second, second)).toBe(false);
  expect(await failAt(55, 55)).toBe(true);
});

test('reports isolation when others append the first events ever', async () => {
  const { failAt } = openDetector();
  await failAt(0, null);
  await failAt(10, null);
  await failAt(20, 1);
  expect(await failAt(30, 2)).toBe(true);
});
