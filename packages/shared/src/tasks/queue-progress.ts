import type { HookQueue, QueueState } from '../ports/hook-queue.ts';
import type { Clock } from '../runtime/clock.ts';
import { createPeriodicTask, type Task } from '../runtime/supervisor.ts';

/** Longer than a job takes, and longer than it takes until another worker starts a dead worker's job. */
const stuckAfterMs = 60_000;
/** After a longer pause between observations, the process was frozen: earlier observations are void. */
const observationGapMaxMs = 15_000;

/** A queue with jobs of which no other worker processes one: this worker should. */
interface WaitingQueue {
  readonly state: QueueState;
  /** Since when the oldest job has not changed and this worker has finished no part of a batch of this partition. */
  readonly sinceMs: number;
}

/**
 * Decides whether this worker is stuck: it processes nothing while jobs wait. A worker is also not ready before the
 * queue has answered once, and after the queue has not answered for 60 s. It is stuck if, for more than 60 s, all of
 * this holds for one queue:
 * - Its oldest job is the same: no worker has finished it.
 * - No other worker has a job of it. So a worker that only stands by is not stuck.
 * - This worker has finished no part of a batch of that partition. So a worker that isolates poison items is not stuck.
 *
 * Example: worker A hangs in a job of partition 2, and B stands by. A becomes not ready, and B stays ready. A is killed
 * and B starts the job: B is ready. If nobody starts it for 60 s, every worker becomes not ready.
 *
 * It uses the monotonic clock of this process only, so the clocks of other machines do not matter.
 */
export class QueueProgress {
  readonly #clock: Pick<Clock, 'monotonicMs'>;
  readonly #waiting = new Map<string, WaitingQueue>();
  #observedAtMs = Number.NEGATIVE_INFINITY;
  #failingSinceMs: number | null = null;

  constructor(clock: Pick<Clock, 'monotonicMs'>) {
    this.#clock = clock;
  }

  /** Takes what `HookQueue.inspect` returned. Call it every few seconds. */
  observe(states: readonly QueueState[]): void {
    const nowMs = this.#clock.monotonicMs();
    if (nowMs - this.#observedAtMs > observationGapMaxMs) this.#waiting.clear();
    this.#observedAtMs = nowMs;
    this.#failingSinceMs = null;
    for (const state of states) {
      const known = this.#waiting.get(state.queue);
      if (state.oldestEnqueuedAt === null || state.isActiveElsewhere) this.#waiting.delete(state.queue);
      else
        this.#waiting.set(state.queue, {
          state,
          sinceMs: known && isSameOldest(known.state, state) ? known.sinceMs : nowMs,
        });
    }
  }

  /** Records that the queue did not answer. */
  recordFailure(): void {
    this.#failingSinceMs ??= this.#clock.monotonicMs();
  }

  /** Records that this worker has finished a part of a batch of the partition, of any partition count. */
  recordProgress(partition: number): void {
    const sinceMs = this.#clock.monotonicMs();
    for (const [queue, { state }] of this.#waiting) {
      if (state.partition === partition) this.#waiting.set(queue, { state, sinceMs });
    }
  }

  /** Says why the worker is not ready; null if it is. */
  unreadyReason(): string | null {
    const nowMs = this.#clock.monotonicMs();
    // A worker that starts during an outage must not become ready: the rollout would go on and replace every worker.
    if (this.#observedAtMs === Number.NEGATIVE_INFINITY) return 'the hook queue has not answered yet';
    const failingMs = nowMs - (this.#failingSinceMs ?? nowMs);
    if (failingMs > stuckAfterMs) return `the hook queue has not answered for ${toSeconds(failingMs)} s`;
    for (const { state, sinceMs } of this.#waiting.values()) {
      const waitingMs = nowMs - sinceMs;
      if (waitingMs <= stuckAfterMs) continue;
      return `no worker has finished a job of ${state.queue} for ${toSeconds(waitingMs)} s, and ${state.jobs} wait`;
    }
    return null;
  }
}

function isSameOldest(known: QueueState, current: QueueState): boolean {
  return known.oldestEnqueuedAt?.getTime() === current.oldestEnqueuedAt?.getTime();
}

function toSeconds(ms: number): number {
  return Math.floor(ms / 1_000);
}

const watchEveryMs = 5_000;

/** Makes the task that reads the state of the hook queue every 5 s, and says whether this worker processes it. */
export function createQueueWatchTask(
  hookQueue: Pick<HookQueue, 'inspect'>,
  progress: Pick<QueueProgress, 'observe' | 'recordFailure' | 'unreadyReason'>,
  clock: Clock,
): Task {
  // A queue that does not answer is in the metrics of its calls, and after a minute in the readiness.
  const onError = () => progress.recordFailure();
  const watch = createPeriodicTask(
    { name: 'hook-queue', stores: ['queue'], everyMs: watchEveryMs, clock, onError },
    async () => progress.observe(await hookQueue.inspect()),
  );
  return { ...watch, unreadyReason: () => watch.unreadyReason() ?? progress.unreadyReason() };
}
