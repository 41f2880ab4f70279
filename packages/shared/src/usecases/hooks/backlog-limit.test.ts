import { expect, test } from 'vitest';
import type { QueueItem, WaitingByIntegration } from '../../domain/queue-item.ts';
import type { QueuePressure } from '../../ports/hook-queue.ts';
import { createBacklogLimit } from './backlog-limit.ts';

const sender = 'a sender';
const nextCheckMs = 1_000;

/** A limit that lets one integration have 4 deliveries in the queue. The test answers each question of the limit. */
function setUp() {
  let nowMs = 0;
  const questions: PromiseWithResolvers<QueuePressure>[] = [];
  const pressure = () => {
    const question = Promise.withResolvers<QueuePressure>();
    questions.push(question);
    return question.promise;
  };
  const clock = { now: () => new Date(nowMs), monotonicMs: () => nowMs } as never;
  const limit = createBacklogLimit({ pressure }, clock, { backlogMax: 8, sharePercent: 50 });
  return {
    questions,
    /** Returns how many of this many deliveries are admitted. */
    admit: (count: number) => Array.from({ length: count }, () => limit.admit(aDelivery())).filter(Boolean).length,
    /** A flush, at a time at which the limit asks the queue if it may. */
    flush: () => {
      nowMs += nextCheckMs;
      limit.recordFlush(1, 1);
    },
    wait: (ms: number) => {
      nowMs += ms;
    },
    answer: async (waitingDeliveries: number) => {
      questions.at(-1)?.resolve(aPressure(waitingDeliveries));
      await new Promise(setImmediate);
    },
    fail: async () => {
      questions.at(-1)?.reject(new Error('the queue is unavailable'));
      await new Promise(setImmediate);
    },
  };
}

function aDelivery(): QueueItem {
  return { type: 'delivery', delivery: { integrationId: sender, payload: '{}' } } as QueueItem;
}

function aPressure(deliveries: number): QueuePressure {
  const waitingByIntegration: WaitingByIntegration = new Map([[sender, { deliveries, bytes: 2 * deliveries }]]);
  return { waitingJobs: 0, memoryUsedRatio: null, memoryLimitBytes: null, waitingByIntegration };
}

test('counts a delivery that was on its way to the queue when the queue was asked', async () => {
  const { admit, flush, answer } = setUp();
  expect(admit(3)).toBe(3);
  flush();
  await answer(0);
  expect(admit(3)).toBe(1);
});

test('counts each delivery once in the end: the next answer replaces what this pod counted itself', async () => {
  const { admit, flush, answer } = setUp();
  expect(admit(3)).toBe(3);
  for (const waiting of [3, 3, 3]) {
    flush();
    await answer(waiting);
  }
  expect(admit(3)).toBe(1);
});

test('does not count for ever what the queue did not accept, because it did not answer', async () => {
  const { admit, flush, fail } = setUp();
  expect(admit(4)).toBe(4);
  for (let failures = 0; failures < 3; failures += 1) {
    flush();
    await fail();
  }
  expect(admit(4)).toBe(4);
});

test('does not ask the queue again before it has answered', async () => {
  const { admit, flush, questions, answer } = setUp();
  expect(admit(3)).toBe(3);
  flush();
  flush();
  expect(questions).toHaveLength(1);
  await answer(0);
  flush();
  expect(questions).toHaveLength(2);
});

test('asks ten times a second while an integration is near its share, and otherwise once a second', async () => {
  const { admit, flush, wait, questions, answer } = setUp();
  flush();
  await answer(0);
  wait(999);
  expect(admit(1)).toBe(1);
  expect(questions).toHaveLength(1);
  flush();
  await answer(1);
  wait(100);
  expect(admit(1)).toBe(1);
  expect(questions).toHaveLength(3);
});
