import { describe, expect, test } from 'vitest';
import { systemClock } from './clock.ts';
import { createPeriodicTask } from './supervisor.ts';

describe('createPeriodicTask', () => {
  test('passes the error of a failed round to onError and goes on with the next round', async () => {
    const stopping = new AbortController();
    const errors: unknown[] = [];
    let rounds = 0;
    const options = {
      name: 'scan',
      stores: [],
      everyMs: 0,
      clock: systemClock,
      onError: (error: unknown) => void errors.push(error),
    };
    const failure = new Error('the store is unavailable');
    const task = createPeriodicTask(options, async () => {
      rounds += 1;
      if (rounds === 1) throw failure;
      stopping.abort();
    });
    await task.run(stopping.signal);
    expect(rounds).toBe(2);
    expect(errors).toEqual([failure]);
  });

  test('makes the process unready once a round has been running for over a minute', () => {
    let nowMs = 0;
    const clock = { ...systemClock, monotonicMs: () => nowMs };
    const options = { name: 'scan', stores: [], everyMs: 0, clock, onError: () => undefined };
    const task = createPeriodicTask(options, () => new Promise(() => undefined));
    void task.run(new AbortController().signal);
    nowMs = 60_000;
    expect(task.unreadyReason()).toBeNull();
    nowMs = 60_001;
    expect(task.unreadyReason()).toBe('the current round has been running for over a minute');
  });

  test('stays ready during a pause of over a minute', async () => {
    let nowMs = 0;
    const pause = Promise.withResolvers<void>();
    const clock = {
      ...systemClock,
      monotonicMs: () => nowMs,
      sleep: () => {
        pause.resolve();
        return new Promise<void>(() => undefined);
      },
    };
    const task = createPeriodicTask(
      { name: 'scan', stores: [], everyMs: 0, clock, onError: () => undefined },
      async () => undefined,
    );
    void task.run(new AbortController().signal);
    await pause.promise;
    nowMs = 3_600_000;
    expect(task.unreadyReason()).toBeNull();
  });
});
