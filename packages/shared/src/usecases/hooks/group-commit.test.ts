import { randomBytes } from 'node:crypto';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import type { Delivery } from '../../domain/delivery.ts';
import { NotReplicatedError, UnavailableError } from '../../domain/errors.ts';
import type { QueueItem } from '../../domain/queue-item.ts';
import type { HookJob, HookQueue } from '../../ports/hook-queue.ts';
import { systemClock } from '../../runtime/clock.ts';
import { GroupCommit } from './group-commit.ts';

/** A queue whose calls the test resolves and rejects itself. */
function aManualQueue(partitionCount = 1) {
  const calls: { job: HookJob; resolve: () => void; reject: (error: Error) => void }[] = [];
  let onCall = () => {};
  const pressure = {
    waitingJobs: 0,
    memoryUsedRatio: null as number | null,
    memoryLimitBytes: null as number | null,
    waitingByIntegration: new Map(),
  };
  const queue: HookQueue = {
    partitionCount,
    enqueue: (job) =>
      new Promise((resolve, reject) => {
        calls.push({ job, resolve, reject });
        onCall();
      }),
    pressure: async () => pressure,
    inspect: async () => [],
    consume: () => Promise.reject(new Error('this test does not consume')),
  };
  const waitForCalls = (count: number) =>
    new Promise<void>((resolve) => {
      onCall = () => {
        if (calls.length >= count) resolve();
      };
      onCall();
    });
  return { queue, calls, waitForCalls, pressure };
}

const turnOfTheEventLoop = () => promisify(setImmediate)();

const aDelivery = (members: Pick<Delivery, 'integrationId'>): Delivery => ({
  eventId: '060223bc-ebbe-8cb6-8b7f-c374291aa2b0',
  kind: 'updated',
  occurredAt: '2026-03-01T10:00:00Z',
  widgetId: null,
  payload: null,
  receivedAt: new Date(),
  redrive: false,
  ...members,
});

const nudge = (widgetId: string): QueueItem => ({ type: 'nudge', widgetId });

describe('GroupCommit', () => {
  test('stores items of one event-loop turn as one job', async () => {
    const { queue, calls, waitForCalls } = aManualQueue();
    const groupCommit = new GroupCommit(queue, systemClock);
    const stored = Promise.all([groupCommit.submit(nudge('a')), groupCommit.submit(nudge('b'))]);
    await waitForCalls(1);
    calls[0]?.resolve();
    await stored;
    expect(calls.map(({ job }) => job.items)).toEqual([[nudge('a'), nudge('b')]]);
  });

  test('stores items that arrive while flushesMax flushes are in flight as one job, once one of the flushes is done', async () => {
    const { queue, calls, waitForCalls } = aManualQueue();
    const groupCommit = new GroupCommit(queue, systemClock, { flushesMax: 2 });
    const first = groupCommit.submit(nudge('a'));
    await waitForCalls(1);
    const second = groupCommit.submit(nudge('b'));
    await waitForCalls(2);
    const others = Promise.all([groupCommit.submit(nudge('c')), groupCommit.submit(nudge('d'))]);
    await turnOfTheEventLoop();
    expect(calls.length).toBe(2);
    calls[1]?.resolve();
    await second;
    await waitForCalls(3);
    for (const call of calls) call.resolve();
    await Promise.all([first, others]);
    expect(calls.map(({ job }) => job.items)).toEqual([[nudge('a')], [nudge('b')], [nudge('c'), nudge('d')]]);
  });

  test('stores one job per partition and keeps the items of a widget in one partition', async () => {
    const { queue, calls, waitForCalls } = aManualQueue(4);
    const groupCommit = new GroupCommit(queue, systemClock);
    const ids = Array.from({ length: 40 }, (_, index) => `widget-${index % 20}`);
    const allStored = Promise.all(ids.map((id) => groupCommit.submit(nudge(id))));
    await waitForCalls(4);
    for (const call of calls) call.resolve();
    await allStored;
    expect(calls.length).toBe(4);
    const placesByWidgetId = Map.groupBy(
      calls.flatMap(({ job }) => job.items.map((item) => ({ item, partition: job.partition }))),
      ({ item }) => (item.type === 'nudge' ? item.widgetId : ''),
    );
    for (const places of placesByWidgetId.values()) {
      expect(new Set(places.map(({ partition }) => partition)).size).toBe(1);
    }
  });

  test('starts another job at the item limit', async () => {
    const { queue, calls, waitForCalls } = aManualQueue();
    const groupCommit = new GroupCommit(queue, systemClock, { jobItemsMax: 3 });
    const allStored = Promise.all(Array.from({ length: 7 }, (_, index) => groupCommit.submit(nudge(`w${index}`))));
    await waitForCalls(3);
    for (const call of calls) call.resolve();
    await allStored;
    expect(calls.map(({ job }) => job.items.length)).toEqual([3, 3, 1]);
  });

  test('retries a failed enqueue with the same job id', async () => {
    const { queue, calls, waitForCalls } = aManualQueue();
    const groupCommit = new GroupCommit(queue, systemClock);
    const stored = groupCommit.submit(nudge('a'));
    await waitForCalls(1);
    calls[0]?.reject(new UnavailableError('the queue does not answer'));
    await waitForCalls(2);
    calls[1]?.resolve();
    await stored;
    expect(calls[1]?.job).toEqual(calls[0]?.job);
  });

  test('resolves when the answer arrived in time, although the process was too busy to read it before the deadline', async () => {
    const answer = promisify(randomBytes);
    const { queue } = aManualQueue();
    // Node runs the callback of the first answer in its poll phase, and runs timers next. So after the busy loop the
    // deadline's timer runs before Node reads the second answer.
    const enqueue = () =>
      answer(1).then(() => {
        const secondAnswer = answer(8);
        for (const endMs = performance.now() + 60; performance.now() < endMs; );
        return secondAnswer.then(() => undefined);
      });
    const groupCommit = new GroupCommit({ ...queue, enqueue }, systemClock);
    await expect(groupCommit.submit(nudge('a'), 20)).resolves.toBeUndefined();
  });

  test('rejects at the deadline while the queue does not answer, also items that wait for the next flush', async () => {
    const { queue, waitForCalls } = aManualQueue();
    const groupCommit = new GroupCommit(queue, systemClock, { flushesMax: 1 });
    const first = groupCommit.submit(nudge('a'), 50);
    await waitForCalls(1);
    const second = groupCommit.submit(nudge('b'), 50);
    await expect(first).rejects.toThrow(UnavailableError);
    await expect(second).rejects.toThrow(UnavailableError);
  });

  test('rejects at the deadline with the reason of the last attempt, until one succeeds', async () => {
    const { queue, calls, waitForCalls } = aManualQueue();
    const groupCommit = new GroupCommit(queue, systemClock, { flushesMax: 1 });
    const first = groupCommit.submit(nudge('a'), 200);
    await waitForCalls(1);
    calls[0]?.reject(new NotReplicatedError('0 of 1 replicas'));
    await waitForCalls(2);
    const waiting = groupCommit.submit(nudge('b'), 50);
    await expect(waiting).rejects.toThrow(/No replica of the hook queue confirms/);
    expect(groupCommit.failure).toBe('0 of 1 replicas');
    calls[1]?.resolve();
    await first;
    expect(groupCommit.failure).toBeNull();
    await expect(groupCommit.submit(nudge('c'), 20)).rejects.not.toThrow(/replica/);
  });

  test('rejects a caller that has less time before one that came earlier, which keeps waiting', async () => {
    const { queue, calls, waitForCalls } = aManualQueue();
    const groupCommit = new GroupCommit(queue, systemClock);
    const patient = groupCommit.submit(nudge('a'), 600_000);
    await waitForCalls(1);
    await expect(groupCommit.submit(nudge('b'), 20)).rejects.toThrow(UnavailableError);
    calls[0]?.resolve();
    await expect(patient).resolves.toBeUndefined();
  });

  test('counts against waitersMax only the callers that still wait', async () => {
    const { queue, calls, waitForCalls } = aManualQueue();
    const groupCommit = new GroupCommit(queue, systemClock, { waitersMax: 2 });
    for (let round = 1; round <= 3; round += 1) {
      const both = Promise.all([groupCommit.submit(nudge('a')), groupCommit.submit(nudge('b'))]);
      await expect(groupCommit.submit(nudge('c'))).rejects.toThrow(UnavailableError);
      await waitForCalls(round);
      calls[round - 1]?.resolve();
      await both;
    }
  });

  test('rejects items once it has read that the backlog is above its limit, until it has read that the backlog has shrunk', async () => {
    const { queue, calls, waitForCalls, pressure } = aManualQueue();
    pressure.waitingJobs = 100;
    let nowMs = 0;
    const clock = { ...systemClock, monotonicMs: () => nowMs };
    const groupCommit = new GroupCommit(queue, clock, { backlogMax: 10 });
    const first = groupCommit.submit(nudge('a'));
    await waitForCalls(1);
    calls[0]?.resolve();
    await first;
    await expect(groupCommit.submit(nudge('b'))).rejects.toThrow('right now');
    pressure.waitingJobs = 0;
    nowMs += 1_001;
    await expect(groupCommit.submit(nudge('c'))).rejects.toThrow(UnavailableError);
    const later = groupCommit.submit(nudge('d'));
    await waitForCalls(2);
    calls[1]?.resolve();
    await later;
  });

  test.each([
    ['deliveries', { waitingJobs: 100, memoryUsedRatio: 0.5 }, 'too many deliveries wait to be processed'],
    ['memory', { waitingJobs: 0, memoryUsedRatio: 0.81 }, 'the queue has little memory left'],
  ])('names the exceeded bound in the internal message: %s', async (_, currentPressure, text) => {
    const { queue, calls, waitForCalls, pressure } = aManualQueue();
    Object.assign(pressure, currentPressure);
    const groupCommit = new GroupCommit(queue, systemClock, { backlogMax: 10 });
    const first = groupCommit.submit(nudge('a'));
    await waitForCalls(1);
    calls[0]?.resolve();
    await first;
    await expect(groupCommit.submit(nudge('b'))).rejects.toMatchObject({
      code: 'unavailable',
      internalMessage: expect.stringContaining(text),
    });
  });

  test('rejects the items of an integration that uses more than its share of the memory, and accepts those of others', async () => {
    const { queue, calls, waitForCalls, pressure } = aManualQueue();
    // 80 MB may be used, 60 MB are. The flood takes 300 bytes and 1.5 times its payload: more than half of 20 + 45 MB.
    Object.assign(pressure, { memoryUsedRatio: 0.6, memoryLimitBytes: 100_000_000 });
    pressure.waitingByIntegration.set('flood', { deliveries: 500, bytes: 30_000_000 });
    const groupCommit = new GroupCommit(queue, systemClock);
    const aHook = (integrationId: string): QueueItem => ({ type: 'delivery', delivery: aDelivery({ integrationId }) });
    const first = groupCommit.submit(nudge('a'));
    await waitForCalls(1);
    calls[0]?.resolve();
    await first;
    await expect(groupCommit.submit(aHook('flood'))).rejects.toMatchObject({ code: 'integration-backlog-full' });
    const other = groupCommit.submit(aHook('other'));
    await waitForCalls(2);
    calls[1]?.resolve();
    await other;
  });
});
