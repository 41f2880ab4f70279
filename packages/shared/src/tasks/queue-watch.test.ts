import { expect, test } from 'vitest';
import { UnavailableError } from '../domain/errors.ts';
import { systemClock } from '../runtime/clock.ts';
import { QueueProgress } from './queue-progress.ts';
import { createQueueWatchTask } from './queue-watch.ts';

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
    if (nowMs === 80_000) stop.abort();
    if (nowMs < 75_000) throw new UnavailableError('the queue is down');
    return [];
  };
  const task = createQueueWatchTask({ hookQueue: { inspect }, clock, progress: new QueueProgress(clock) });
  await task.run(stop.signal);
  // One round every 5 s. The first failure is at 0 s.
  expect(reasons.findIndex((reason) => reason !== null)).toBe(12);
  expect(reasons[12]).toBe('the hook queue has not answered for 65 s');
  expect(reasons.at(-1)).toBeNull();
});
