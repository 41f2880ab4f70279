import { UnavailableError } from '@widget-service/shared/domain/errors.ts';
import type { ComparablePosition } from '@widget-service/shared/ports/run-registry.ts';
import { expect, it } from 'vitest';
import { IsolationDetector } from './isolation-detector.ts';

const position = (seq: number): ComparablePosition => ({ epochRun: 1, epoch: 'e1', ms: 1_000 + seq, seq });

function openWatch() {
  const state = { nowMs: 0, recorded: position(1) as ComparablePosition | null | UnavailableError };
  const watch = new IsolationDetector({
    runs: {
      lastPosition: async () => {
        if (state.recorded instanceof UnavailableError) throw state.recorded;
        return state.recorded;
      },
    },
    clock: { monotonicMs: () => state.nowMs },
  });
  /** Fails to read at that second; others have appended so much. */
  const failAt = (second: number, recorded: number | null | UnavailableError) => {
    state.nowMs = second * 1_000;
    state.recorded = typeof recorded === 'number' ? position(recorded) : recorded;
    return watch.recordFailure();
  };
  return { watch, failAt };
}

const away = new UnavailableError('MongoDB is away');

it('a pod is cut off once others have gone on appending for ten seconds that it could not read', async () => {
  const { failAt } = openWatch();
  const seen = [];
  for (const [second, recorded] of [
    [0, 1],
    [9.999, 8],
    [10, 9],
    [14, 20],
    [23.999, 50],
    [24, 51],
    [30, 60],
  ] as const) {
    seen.push(await failAt(second, recorded));
  }
  expect(seen).toEqual([false, false, false, false, false, true, true]);
});

it.each([
  ['nobody appends, because the log is away for all', 1],
  ['nothing was ever appended', null],
  ['it cannot be known, because MongoDB is away too', away],
])('it is not while %s', async (_, recorded) => {
  const { failAt } = openWatch();
  for (let second = 0; second < 120; second += 5) expect(await failAt(second, recorded)).toBe(false);
});

it('is not by what was appended just before the log went away for all, and recorded late', async () => {
  const { failAt } = openWatch();
  await failAt(0, 1);
  await failAt(5, 2);
  for (let second = 10; second < 120; second += 5) expect(await failAt(second, 3)).toBe(false);
});

it('begins anew when it has read in between', async () => {
  const { watch, failAt } = openWatch();
  for (const second of [0, 10, 20]) await failAt(second, second);
  watch.recordSuccess();
  expect(await failAt(30, 30)).toBe(false);
  for (const second of [35, 40, 45, 50]) expect(await failAt(second, second)).toBe(false);
  expect(await failAt(55, 55)).toBe(true);
});

it('also where the first events of all are appended meanwhile', async () => {
  const { failAt } = openWatch();
  await failAt(0, null);
  await failAt(10, null);
  await failAt(20, 1);
  expect(await failAt(30, 2)).toBe(true);
});
