import { describe, expect, onTestFinished, test } from 'vitest';
import { createMetrics } from '../metrics/metrics.ts';
import { systemClock } from '../runtime/clock.ts';
import { Supervisor, type Task } from '../runtime/supervisor.ts';
import { createProcessStateWriter, createSupervisor } from './process-tasks.ts';
import { aProcessState } from './testing/a-process-state.ts';

function supervise(tasks: readonly Task[]) {
  const errors: unknown[][] = [];
  const metrics = createMetrics();
  const logger = { error: (...line: unknown[]) => void errors.push(line) };
  const supervisor = createSupervisor(tasks, systemClock, logger as never, metrics);
  onTestFinished(() => supervisor.stop());
  return { supervisor, errors, metrics };
}

describe('createSupervisor', () => {
  test('counts and logs a task that throws, and starts it again', async () => {
    const cause = new Error('the disk is full');
    let runs = 0;
    const secondRun = Promise.withResolvers<void>();
    const task: Task = {
      name: 'retention',
      stores: [],
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

  test('doubles the pause after each short run, and starts again with the shortest pause after a run of over a minute', async () => {
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
      stores: [],
      run: async () => {
        if (pausesMs.length === 5) nowMs += 60_001;
      },
      unreadyReason: () => null,
    };
    new Supervisor([task], clock, () => undefined).start();
    await stopped.promise;
    const ceilingsMs = [100, 200, 400, 800, 1_600, 100, 200];
    for (const [index, ceilingMs] of ceilingsMs.entries()) {
      expect(pausesMs[index]).toBeGreaterThanOrEqual(ceilingMs / 2);
      expect(pausesMs[index]).toBeLessThanOrEqual(ceilingMs);
    }
  });

  test('neither counts nor logs a task that throws after the supervisor began to stop', async () => {
    const task: Task = {
      name: 'tail',
      stores: [],
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
    expect((await metrics.taskFailures.get()).values).toMatchObject([{ value: 0 }]);
  });
});

test('writes the state again after a failure, and removes it when the process stops', async () => {
  const state = aProcessState();
  const stopping = new AbortController();
  const calls: string[] = [];
  const task = createProcessStateWriter(
    {
      write: async (written, streams) => {
        calls.push(`${written.id} ${streams.size}`);
        if (calls.length === 1) throw new Error('the store is away');
        stopping.abort();
      },
      list: async () => [],
      remove: async (id) => void calls.push(`removed ${id}`),
    },
    { ...systemClock, sleep: async () => undefined },
    async () => state,
    () => new Map([['a', []]]),
  );
  await task.run(stopping.signal);
  expect(calls).toEqual([`${state.id} 1`, `${state.id} 1`, `removed ${state.id}`]);
});
