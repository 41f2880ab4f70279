import { expect, it } from 'vitest';
import { UnavailableError } from '../domain/errors.ts';
import { createLogger } from '../runtime/logger.ts';
import { StoreConnectivity } from './store-connectivity.ts';

const logger = await createLogger({ level: 'silent' });

/** Stores that answer when told to, and a clock that every pause moves. */
function openReach() {
  let nowMs = 0;
  let asked = 0;
  let answersFrom = Number.POSITIVE_INFINITY;
  const ask = async () => {
    asked += 1;
    if (nowMs < answersFrom) throw new UnavailableError('away');
    return null;
  };
  const stores = new StoreConnectivity({
    runs: { lastPosition: ask },
    eventLog: { inspect: ask },
    clock: {
      now: () => new Date(nowMs),
      monotonicMs: () => nowMs,
      sleep: async (ms) => {
        nowMs += ms;
      },
    },
    logger,
  });
  return {
    stores,
    fail: (afterMs: number) => {
      nowMs += afterMs;
      stores.recordFailure();
    },
    answerAfter: (ms: number) => {
      answersFrom = nowMs + ms;
    },
    asked: () => asked,
    nowMs: () => nowMs,
  };
}

const never = new AbortController().signal;

it('stores are away once nothing has been answered for ten seconds', () => {
  const { stores, fail } = openReach();
  const seen = [0, 5_000, 4_999, 1].map((afterMs) => {
    fail(afterMs);
    return stores.isUnreachable;
  });
  expect(seen).toEqual([false, false, false, true]);
});

it('whoever waits is told at once that they are away, and waits again when they are back', () => {
  const { stores, fail } = openReach();
  const first = stores.unreachableSignal;
  fail(0);
  expect(first.aborted).toBe(false);
  fail(10_000);
  expect([first.aborted, stores.unreachableSignal.aborted]).toEqual([true, true]);
  stores.recordSuccess();
  expect(stores.unreachableSignal.aborted).toBe(false);
});

it('an answer in between begins the ten seconds anew', () => {
  const { stores, fail } = openReach();
  fail(0);
  fail(9_000);
  stores.recordSuccess();
  fail(9_000);
  fail(9_999);
  expect(stores.isUnreachable).toBe(false);
});

it('stores that are not away are not asked', async () => {
  const { stores, asked } = openReach();
  await stores.waitUntilReachable(never);
  expect(asked()).toBe(0);
});

it('stores that are away are asked until they answer, within two seconds of it', async () => {
  const { stores, fail, answerAfter, nowMs } = openReach();
  fail(0);
  fail(10_000);
  answerAfter(60_000);
  await stores.waitUntilReachable(never);
  expect(stores.isUnreachable).toBe(false);
  expect(nowMs()).toBeGreaterThanOrEqual(70_000);
  expect(nowMs()).toBeLessThanOrEqual(72_000);
});

it('one who is closing waits no longer', async () => {
  const { stores, fail } = openReach();
  fail(0);
  fail(10_000);
  await stores.waitUntilReachable(AbortSignal.abort());
  expect(stores.isUnreachable).toBe(true);
});
