import { beforeEach, expect, test } from 'vitest';
import { RunNumbers } from './run-numbers.ts';

let nowMs: number;
let taken: number;
let numbers: RunNumbers;

beforeEach(() => {
  nowMs = 1_000;
  taken = 0;
  const startRun = async () => {
    taken += 1;
    return { run: taken, lastPosition: null };
  };
  numbers = new RunNumbers({ runs: { startRun }, clock: { monotonicMs: () => nowMs } });
});

test('runs that start within 30 s share a number, and later ones get a new one', async () => {
  expect(await numbers.get()).toEqual({ run: 1, takenAtMs: 1_000 });
  nowMs = 30_999;
  expect(await numbers.get()).toEqual({ run: 1, takenAtMs: 1_000 });
  nowMs = 31_000;
  expect(await numbers.get()).toEqual({ run: 2, takenAtMs: 31_000 });
});

test('runs that start at the same time take one number together', async () => {
  expect((await Promise.all([numbers.get(), numbers.get()])).map(({ run }) => run)).toEqual([1, 1]);
});

test('a number that is taken for another purpose is new, and the next runs share it', async () => {
  await numbers.get();
  nowMs = 2_000;
  expect(await numbers.takeNext()).toEqual({ run: 2, takenAtMs: 2_000 });
  expect(await numbers.get()).toEqual({ run: 2, takenAtMs: 2_000 });
});

test('after a failed run the next one takes a new number', async () => {
  await numbers.get();
  numbers.forget(1);
  expect(await numbers.get()).toMatchObject({ run: 2 });
  numbers.forget(1);
  expect(await numbers.get()).toMatchObject({ run: 2 });
});

test('a number that could not be taken is requested again', async () => {
  let fails = true;
  const startRun = async () => {
    if (fails) throw new Error('no answer');
    return { run: 7, lastPosition: null };
  };
  const failing = new RunNumbers({ runs: { startRun }, clock: { monotonicMs: () => nowMs } });
  await expect(failing.get()).rejects.toThrow('no answer');
  fails = false;
  expect(await failing.get()).toMatchObject({ run: 7 });
});
