import { randomBytes } from 'node:crypto';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { UnavailableError } from '../../domain/errors.ts';
import type { QueueItem } from '../../domain/queue-item.ts';
import type { HookBatch, HookQueue } from '../../ports/hook-queue.ts';
import { systemClock } from '../../runtime/clock.ts';
import { GroupCommit } from './group-commit.ts';

/** A queue whose answers the test gives by hand. */
function openQueue(partitionCount = 1) {
  const calls: { batch: HookBatch; resolve: () => void; reject: (error: Error) => void }[] = [];
  let look = () => {};
  const pressure = { waitingJobs: 0, memoryUsedRatio: null as number | null };
  const queue: HookQueue = {
    partitionCount,
    enqueue: (batch) =>
      new Promise((resolve, reject) => {
        calls.push({ batch, resolve, reject });
        look();
      }),
    pressure: async () => pressure,
    consume: () => Promise.reject(new Error('not consumed here')),
  };
  const until = (count: number) =>
    new Promise<void>((resolve) => {
      look = () => {
        if (calls.length >= count) resolve();
      };
      look();
    });
  return { queue, calls, until, pressure };
}

const nudge = (widgetId: string): QueueItem => ({ type: 'nudge', widgetId });

describe('GroupCommit', () => {
  it('stores what arrives in one turn as one job, and what arrives meanwhile as the next', async () => {
    const { queue, calls, until } = openQueue();
    const gate = new GroupCommit(queue, systemClock);
    const first = Promise.all([gate.submit(nudge('a')), gate.submit(nudge('b'))]);
    await until(1);
    const second = Promise.all([gate.submit(nudge('c')), gate.submit(nudge('d'))]);
    calls[0]?.resolve();
    await first;
    await until(2);
    calls[1]?.resolve();
    await second;
    expect(calls.map(({ batch }) => batch.items)).toEqual([
      [nudge('a'), nudge('b')],
      [nudge('c'), nudge('d')],
    ]);
  });

  it('makes one job per partition and keeps one widget in one partition', async () => {
    const { queue, calls, until } = openQueue(4);
    const gate = new GroupCommit(queue, systemClock);
    const ids = Array.from({ length: 40 }, (_, index) => `widget-${index % 20}`);
    const all = Promise.all(ids.map((id) => gate.submit(nudge(id))));
    await until(4);
    for (const call of calls) call.resolve();
    await all;
    expect(calls.length).toBe(4);
    const partitionsOf = Map.groupBy(
      calls.flatMap(({ batch }) => batch.items.map((item) => ({ item, partition: batch.partition }))),
      ({ item }) => (item.type === 'nudge' ? item.widgetId : ''),
    );
    for (const places of partitionsOf.values()) expect(new Set(places.map((each) => each.partition)).size).toBe(1);
  });

  it('cuts jobs at the item limit', async () => {
    const { queue, calls, until } = openQueue();
    const gate = new GroupCommit(queue, systemClock, { batchMax: 3 });
    const all = Promise.all(Array.from({ length: 7 }, (_, index) => gate.submit(nudge(`w${index}`))));
    await until(3);
    for (const call of calls) call.resolve();
    await all;
    expect(calls.map(({ batch }) => batch.items.length)).toEqual([3, 3, 1]);
  });

  it('tries a failed job again under the same id', async () => {
    const { queue, calls, until } = openQueue();
    const gate = new GroupCommit(queue, systemClock);
    const stored = gate.submit(nudge('a'));
    await until(1);
    calls[0]?.reject(new UnavailableError('away'));
    await until(2);
    calls[1]?.resolve();
    await stored;
    expect(calls[1]?.batch).toEqual(calls[0]?.batch);
  });

  it('tells an answer that came in time, also when this process was too busy to read it before the deadline', async () => {
    const answered = promisify(randomBytes);
    const { queue } = openQueue();
    // What goes on in an enqueue is in the event loop's turn for such answers; its timers are next.
    const enqueue = () =>
      answered(1).then(() => {
        const answer = answered(8);
        for (const endMs = performance.now() + 60; performance.now() < endMs; );
        return answer.then(() => undefined);
      });
    const gate = new GroupCommit({ ...queue, enqueue }, systemClock, { deadlineMs: 20 });
    await expect(gate.submit(nudge('a'))).resolves.toBeUndefined();
  });

  it('refuses at the deadline while the queue does not answer, also what still waits behind it', async () => {
    const { queue, until } = openQueue();
    const gate = new GroupCommit(queue, systemClock, { deadlineMs: 50 });
    const first = gate.submit(nudge('a'));
    await until(1);
    const second = gate.submit(nudge('b'));
    await expect(first).rejects.toThrow(UnavailableError);
    await expect(second).rejects.toThrow(UnavailableError);
  });

  it('counts only those who still wait against the limit', async () => {
    const { queue, calls, until } = openQueue();
    const gate = new GroupCommit(queue, systemClock, { waitersMax: 2 });
    for (let round = 1; round <= 3; round += 1) {
      const both = Promise.all([gate.submit(nudge('a')), gate.submit(nudge('b'))]);
      await expect(gate.submit(nudge('c'))).rejects.toThrow(UnavailableError);
      await until(round);
      calls[round - 1]?.resolve();
      await both;
    }
  });

  it('refuses at once when too much waits in the queue, and takes hooks again when it has shrunk', async () => {
    const { queue, calls, until, pressure } = openQueue();
    pressure.waitingJobs = 100;
    let nowMs = 0;
    const clock = { ...systemClock, monotonicMs: () => nowMs };
    const gate = new GroupCommit(queue, clock, { backlogMax: 10 });
    const first = gate.submit(nudge('a'));
    await until(1);
    calls[0]?.resolve();
    await first;
    await expect(gate.submit(nudge('b'))).rejects.toThrow('right now');
    pressure.waitingJobs = 0;
    nowMs += 1_001;
    await expect(gate.submit(nudge('c'))).rejects.toThrow(UnavailableError);
    const later = gate.submit(nudge('d'));
    await until(2);
    calls[1]?.resolve();
    await later;
  });

  it.each([
    ['deliveries', { waitingJobs: 100, memoryUsedRatio: 0.5 }, 'too many deliveries wait to be processed'],
    ['memory', { waitingJobs: 0, memoryUsedRatio: 0.81 }, 'the queue has little memory left'],
  ])('tells our logs which bound was met: %s', async (_, found, text) => {
    const { queue, calls, until, pressure } = openQueue();
    Object.assign(pressure, found);
    const gate = new GroupCommit(queue, systemClock, { backlogMax: 10 });
    const first = gate.submit(nudge('a'));
    await until(1);
    calls[0]?.resolve();
    await first;
    await expect(gate.submit(nudge('b'))).rejects.toMatchObject({
      code: 'unavailable',
      internalMessage: expect.stringContaining(text),
    });
  });
});
