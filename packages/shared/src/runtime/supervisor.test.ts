import { describe, expect, it, onTestFinished } from 'vitest';
import { systemClock } from './clock.ts';
import { createMetrics } from './metrics.ts';
import { createPeriodicTask, createSupervisor, Supervisor, type Task } from './supervisor.ts';

function supervise(tasks: readonly Task[]) {
  const errors: unknown[][] = [];
  const metrics = createMetrics();
  const logger = { error: (...line: unknown[]) => void errors.push(line) };
  const supervisor = createSupervisor(tasks, { clock: systemClock, logger: logger as never, metrics });
  onTestFinished(() => supervisor.stop());
  return { supervisor, errors, metrics };
}

describe('createSupervisor', () => {
  it('counts and logs a task that throws, and starts it again', async () => {
    const cause = new Error('the disk is full');
    let runs = 0;
    const secondRun = Promise.withResolvers<void>();
    const task: Task = {
      name: 'retention',
      run: async (signal) => {
        runs += 1;
        if (runs === 1) throw cause;
        secondRun.resolve();
        await systemClock.sleep(60_000, signal);
      },
      unreadyReason: () => null,
    };
    const { supervisor, errors, metrics } = supervise([task]);
    supervisor.start();
    await secondRun.promise;
    await supervisor.stop();
    expect(runs).toBe(2);
    expect(errors).toEqual([[{ task: 'retention', err: cause }, 'task.failed']]);
    expect((await metrics.taskFailures.get()).values).toEqual([{ labels: { task: 'retention' }, value: 1 }]);
  });

  it('doubles the pause after each short run, and starts again with the shortest pause after a run of over a minute', async () => {
    let nowMs = 0;
    const pausesMs: number[] = [];
    const stopped = Promise.withResolvers<void>();
    const clock = {
      ...systemClock,
      monotonicMs: () => nowMs,
      sleep: async (ms: number) => {
        pausesMs.push(ms);
        if (pausesMs.length === 7) stopped.resolve();
        if (pausesMs.length === 7) await new Promise(() => undefined);
      },
    };
    const task: Task = {
      name: 'tail',
      run: async () => {
        if (pausesMs.length === 5) nowMs += 60_001;
      },
      unreadyReason: () => null,
    };
    new Supervisor([task], { clock, onFailure: () => undefined }).start();
    await stopped.promise;
    const ceilingsMs = [100, 200, 400, 800, 1_600, 100, 200];
    for (const [index, ceilingMs] of ceilingsMs.entries()) {
      expect(pausesMs[index]).toBeGreaterThanOrEqual(ceilingMs / 2);
      expect(pausesMs[index]).toBeLessThanOrEqual(ceilingMs);
    }
  });

  it('neither counts nor logs a task that throws after the supervisor began to stop', async () => {
    const task: Task = {
      name: 'tail',
      run: async (signal) => {
        await systemClock.sleep(60_000, signal);
        throw new Error('aborted');
      },
      unreadyReason: () => null,
    };
    const { supervisor, errors, metrics } = supervise([task]);
    supervisor.start();
    await supervisor.stop();
    expect(errors).toEqual([]);
    expect((await metrics.taskFailures.get()).values).toEqual([]);
  });
});

describe('createPeriodicTask', () => {
  it('passes the error of a failed round to onError and goes on with the next round', async () => {
    const stopping = new AbortController();
    const errors: unknown[] = [];
    let rounds = 0;
    const options = {
      name: 'scan',
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

  it('makes the process unready once a round has been running for over a minute', () => {
    let nowMs = 0;
    const clock = { ...systemClock, monotonicMs: () => nowMs };
    const options = { name: 'scan', everyMs: 0, clock, onError: () => undefined };
    const task = createPeriodicTask(options, () => new Promise(() => undefined));
    void task.run(new AbortController().signal);
    nowMs = 60_000;
    expect(task.unreadyReason()).toBeNull();
    nowMs = 60_001;
    expect(task.unreadyReason()).toBe('the current round has been running for over a minute');
  });

  it('stays ready during a pause of over a minute', async () => {
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
      { name: 'scan', everyMs: 0, clock, onError: () => undefined },
      async () => undefined,
    );
    void task.run(new AbortController().signal);
    await pause.promise;
    nowMs = 3_600_000;
    expect(task.unreadyReason()).toBeNull();
  });
});
