import { describe, expect, test } from 'vitest';
import { UnavailableError } from '../domain/errors.ts';
import type { QueueState } from '../ports/hook-queue.ts';
import { systemClock } from '../runtime/clock.ts';
import { createQueueWatchTask, QueueProgress } from './queue-progress.ts';

function aState(overrides: Partial<QueueState> = {}): QueueState {
  return {
    queue: 'hooks-4-2',
    partition: 2,
    jobs: 3,
    oldestEnqueuedAt: new Date(1_000),
    isActiveElsewhere: false,
    ...overrides,
  };
}

function createProgress() {
  const clock = { nowMs: 0, monotonicMs: () => clock.nowMs };
  const progress = new QueueProgress(clock);
  /** Observes every 5 s what `read` returns, for so many seconds. Returns the reason after each observation. */
  const observeFor = (seconds: number, read: (second: number) => QueueState[]) => {
    const reasons: (string | null)[] = [];
    for (let second = 5; second <= seconds; second += 5) {
      clock.nowMs += 5_000;
      progress.observe(read(second));
      reasons.push(progress.unreadyReason());
    }
    return reasons;
  };
  return { clock, progress, observeFor };
}

describe('QueueProgress', () => {
  test('is not ready once the same job has been the oldest for more than 60 s, and ready once it is done', () => {
    const { observeFor } = createProgress();
    const reasons = observeFor(80, () => [aState()]);
    expect(reasons.findIndex((reason) => reason !== null)).toBe(13);
    expect(reasons[13]).toBe('no worker has finished a job of hooks-4-2 for 65 s, and 3 wait');
    expect(observeFor(5, () => [aState({ jobs: 2, oldestEnqueuedAt: new Date(2_000) })])).toEqual([null]);
  });

  test('is not ready before the queue has answered once, however long that takes', () => {
    const { clock, progress, observeFor } = createProgress();
    expect(progress.unreadyReason()).toBe('the hook queue has not answered yet');
    progress.recordFailure();
    clock.nowMs += 5_000;
    expect(progress.unreadyReason()).toBe('the hook queue has not answered yet');
    expect(observeFor(5, () => [])).toEqual([null]);
  });

  test('is ready while jobs are done, however many wait', () => {
    const { observeFor } = createProgress();
    const reasons = observeFor(600, (second) => [aState({ jobs: 9_000, oldestEnqueuedAt: new Date(second) })]);
    expect(new Set(reasons)).toEqual(new Set([null]));
  });

  test('is ready with an empty queue', () => {
    const { observeFor } = createProgress();
    const reasons = observeFor(600, () => [aState({ jobs: 0, oldestEnqueuedAt: null })]);
    expect(new Set(reasons)).toEqual(new Set([null]));
  });

  test('is ready while it stands by: another worker has a job of the queue', () => {
    const { observeFor } = createProgress();
    const reasons = observeFor(600, () => [aState({ isActiveElsewhere: true })]);
    expect(new Set(reasons)).toEqual(new Set([null]));
  });

  test('counts 60 s again after another worker had a job', () => {
    const { observeFor } = createProgress();
    observeFor(60, () => [aState()]);
    observeFor(5, () => [aState({ isActiveElsewhere: true })]);
    const reasons = observeFor(75, () => [aState()]);
    expect(reasons.findIndex((reason) => reason !== null)).toBe(13);
  });

  test('is ready while it finishes parts of a long batch, but not for another partition', () => {
    const { progress, observeFor } = createProgress();
    const read = () => {
      progress.recordProgress(2);
      return [aState(), aState({ queue: 'hooks-4-3', partition: 3 })];
    };
    expect(new Set(observeFor(60, read))).toEqual(new Set([null]));
    expect(observeFor(10, read).at(-1)).toContain('hooks-4-3');
  });

  test('forgets what it saw before the process was frozen', () => {
    const { clock, observeFor } = createProgress();
    observeFor(60, () => [aState()]);
    clock.nowMs += 3_600_000;
    expect(observeFor(60, () => [aState()]).at(-1)).toBeNull();
    expect(observeFor(10, () => [aState()]).at(-1)).toContain('hooks-4-2');
  });

  test('is not ready once the queue has not answered for more than 60 s, and ready at its next answer', () => {
    const { clock, progress } = createProgress();
    progress.observe([]);
    progress.recordFailure();
    clock.nowMs = 60_000;
    progress.recordFailure();
    expect(progress.unreadyReason()).toBeNull();
    clock.nowMs = 72_000;
    expect(progress.unreadyReason()).toBe('the hook queue has not answered for 72 s');
    progress.observe([aState()]);
    expect(progress.unreadyReason()).toBeNull();
  });
});

test('makes the process unready while the queue does not answer, and ready again', async () => {
  const stop = new AbortController();
  const reasons: (string | null)[] = [];
  let nowMs = 0;
  const clock = {
    ...systemClock,
    monotonicMs: () => nowMs,
    sleep: async (ms: number) => {
      nowMs += ms;
      reasons.push(task.unreadyReason());
    },
  };
  const inspect = async () => {
    if (nowMs === 85_000) stop.abort();
    if (nowMs > 0 && nowMs < 80_000) throw new UnavailableError('the queue is down');
    return [];
  };
  const task = createQueueWatchTask({ inspect }, new QueueProgress(clock), clock);
  await task.run(stop.signal);
  // One round every 5 s. The first failure is at 5 s.
  expect(reasons.findIndex((reason) => reason !== null)).toBe(13);
  expect(reasons[13]).toBe('the hook queue has not answered for 65 s');
  expect(reasons.at(-1)).toBeNull();
});
