import type { HookQueue } from '../ports/hook-queue.ts';
import type { Clock } from '../runtime/clock.ts';
import { createPeriodicTask, type Task } from '../runtime/supervisor.ts';
import type { QueueProgress } from './queue-progress.ts';

export interface QueueWatchDeps {
  readonly hookQueue: Pick<HookQueue, 'inspect'>;
  readonly clock: Clock;
  readonly progress: Pick<QueueProgress, 'observe' | 'recordFailure' | 'unreadyReason'>;
}

const watchEveryMs = 5_000;

/** Makes the task that reads the state of the hook queue every 5 s, and says whether this worker processes it. */
export function createQueueWatchTask({ hookQueue, clock, progress }: QueueWatchDeps): Task {
  // A queue that does not answer is in the metrics of its calls, and after a minute in the readiness.
  const onError = () => progress.recordFailure();
  const watch = createPeriodicTask(
    { name: 'hook-queue', stores: ['queue'], everyMs: watchEveryMs, clock, onError },
    async () => progress.observe(await hookQueue.inspect()),
  );
  return { ...watch, unreadyReason: () => watch.unreadyReason() ?? progress.unreadyReason() };
}
