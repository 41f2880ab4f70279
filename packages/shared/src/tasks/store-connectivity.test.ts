import { expect, test } from 'vitest';
import { UnavailableError } from '../domain/errors.ts';
import { createLogger } from '../runtime/logger.ts';
import { StoreConnectivity } from './store-connectivity.ts';

const logger = await createLogger({ level: 'silent' });

/** Stores that answer from a set time on, and a clock that every pause moves. */
function setUp() {
  let nowMs = 0;
  let queries = 0;
  let answersFromMs = Number.POSITIVE_INFINITY;
  let mismatch: string | null = null;
  const query = async () => {
    queries += 1;
    if (nowMs < answersFromMs) throw new UnavailableError('the store does not answer');
    return null;
  };
  const stores = new StoreConnectivity({
    runs: { startRun: query as never },
    eventLog: { inspect: query },
    findMismatch: async () => mismatch,
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
      answersFromMs = nowMs + ms;
    },
    setMismatch: (reason: string | null) => {
      mismatch = reason;
    },
    queries: () => queries,
    nowMs: () => nowMs,
  };
}

const never = new AbortController().signal;

test('counts the stores as unreachable after ten seconds without an answer', () => {
  const { stores, fail } = setUp();
  const isUnreachable = [0, 5_000, 4_999, 1].map((afterMs) => {
    fail(afterMs);
    return stores.isUnreachable;
  });
  expect(isUnreachable).toEqual([false, false, false, true]);
});

test('aborts its signal when the stores become unreachable, and has a new signal once they are reachable', () => {
  const { stores, fail } = setUp();
  const firstSignal = stores.unreachableSignal;
  fail(0);
  expect(firstSignal.aborted).toBe(false);
  fail(10_000);
  expect([firstSignal.aborted, stores.unreachableSignal.aborted]).toEqual([true, true]);
  stores.recordSuccess();
  expect(stores.unreachableSignal.aborted).toBe(false);
});

test('restarts the ten seconds after each answer', () => {
  const { stores, fail } = setUp();
  fail(0);
  fail(9_000);
  stores.recordSuccess();
  fail(9_000);
  fail(9_999);
  expect(stores.isUnreachable).toBe(false);
});

test('does not probe reachable stores', async () => {
  const { stores, queries } = setUp();
  await stores.waitUntilReachable(never);
  expect(queries()).toBe(0);
});

test('probes unreachable stores until they answer, and notices the answer within two seconds', async () => {
  const { stores, fail, answerAfter, nowMs } = setUp();
  fail(0);
  fail(10_000);
  answerAfter(60_000);
  await stores.waitUntilReachable(never);
  expect(stores.isUnreachable).toBe(false);
  expect(nowMs()).toBeGreaterThanOrEqual(70_000);
  expect(nowMs()).toBeLessThanOrEqual(72_000);
});

test('stops waiting when the signal is aborted', async () => {
  const { stores, fail } = setUp();
  fail(0);
  fail(10_000);
  await stores.waitUntilReachable(AbortSignal.abort());
  expect(stores.isUnreachable).toBe(true);
});

test('counts stores that do not fit together as unreachable at once, whatever a run says, until they fit', async () => {
  const { stores, answerAfter, setMismatch, queries, nowMs } = setUp();
  answerAfter(0);
  setMismatch('MongoDB is older');
  stores.recordMismatch();
  expect(stores.isUnreachable).toBe(true);
  stores.recordSuccess();
  expect(stores.isUnreachable).toBe(true);
  const beforeProbes = nowMs();
  const waiting = stores.waitUntilReachable(never);
  while (nowMs() < beforeProbes + 5_000) await Promise.resolve();
  expect(queries()).toBeGreaterThan(2);
  expect(stores.isUnreachable).toBe(true);
  setMismatch(null);
  await waiting;
  expect(stores.isUnreachable).toBe(false);
});

test('a probe finds out which store does not answer', async () => {
  const silent = async (startRun: () => Promise<never>, inspect: () => Promise<never>) => {
    let nowMs = 0;
    const end = new AbortController();
    const sleep = async () => end.abort();
    const clock = { now: () => new Date(nowMs), monotonicMs: () => nowMs, sleep };
    const findMismatch = async () => null;
    const stores = new StoreConnectivity({
      runs: { startRun },
      eventLog: { inspect },
      findMismatch,
      clock,
      logger,
    });
    stores.recordFailure();
    nowMs = 10_000;
    stores.recordFailure();
    await stores.waitUntilReachable(end.signal);
    return stores.silent;
  };
  const fail = async () => {
    throw new UnavailableError('it does not answer');
  };
  const answer = async () => null as never;
  expect(await silent(fail, answer)).toEqual(['documents']);
  expect(await silent(answer, fail)).toEqual(['events']);
  const failByEvents = async () => {
    throw new UnavailableError('the log does not answer', undefined, 'eventLog');
  };
  expect(await silent(failByEvents, fail)).toEqual(['events']);
  expect(await silent(fail, fail)).toEqual(['documents', 'events']);
});
