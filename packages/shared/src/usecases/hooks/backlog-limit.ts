import type { HookQueue, QueuePressure } from '../../ports/hook-queue.ts';
import type { Clock } from '../../runtime/clock.ts';

const checkEveryMs = 1_000;
const windowMs = 60_000;
const memoryUsedRatioMax = 0.8;

/**
 * The admission limit of the hook queue. It is exceeded while more than `backlogMax` deliveries wait, or while the
 * queue's store has used more than 80 % of its memory, whatever uses it.
 *
 * The queue counts jobs, not deliveries. The number of deliveries is an estimate: the waiting jobs, times the mean
 * number of items (at least 1) in the jobs that this pod enqueued recently: in the last one to two minutes of traffic.
 * After a pause, the mean of the time before it counts on for one minute. The limit asks the queue at most once a second,
 * and no caller waits for the answer.
 */
export function createBacklogLimit(queue: Pick<HookQueue, 'pressure'>, clock: Clock, backlogMax: number) {
  let excess: string | null = null;
  let checkedAtMs = Number.NEGATIVE_INFINITY;
  let windowStartMs = clock.monotonicMs();
  let currentWindow = { jobs: 0, items: 0 };
  let previousWindow = { jobs: 0, items: 0 };

  function estimateItemsPerJob(): number {
    const jobs = currentWindow.jobs + previousWindow.jobs;
    return jobs === 0 ? 1 : Math.max(1, (currentWindow.items + previousWindow.items) / jobs);
  }

  function applyPressure(pressure: QueuePressure): void {
    if (pressure.memoryUsedRatio !== null && pressure.memoryUsedRatio > memoryUsedRatioMax) {
      excess = `the queue has little memory left: ${Math.round(pressure.memoryUsedRatio * 100)} % is used`;
    } else {
      const isExceeded = pressure.waitingJobs * estimateItemsPerJob() > backlogMax;
      excess = isExceeded ? 'too many deliveries wait to be processed' : null;
    }
  }

  /** Asks the queue, unless it did so within the last second. Updates `excess` when the answer arrives. */
  function check(): void {
    const nowMs = clock.monotonicMs();
    if (nowMs - checkedAtMs < checkEveryMs) return;
    checkedAtMs = nowMs;
    // While the queue does not answer, the last result holds: the enqueues themselves fail then.
    queue.pressure().then(applyPressure, () => undefined);
  }

  return {
    /** Returns the exceeded bound as text for our logs, or null if no bound is exceeded. */
    excess(): string | null {
      // Nothing is flushed while a bound is exceeded, so `recordFlush` cannot notice that it no longer is.
      if (excess !== null) check();
      return excess;
    },
    /** Records what a flush of this pod is about to enqueue: the basis of the estimate. */
    recordFlush(jobs: number, items: number): void {
      const nowMs = clock.monotonicMs();
      if (nowMs - windowStartMs > windowMs) {
        previousWindow = currentWindow;
        currentWindow = { jobs: 0, items: 0 };
        windowStartMs = nowMs;
      }
      currentWindow.jobs += jobs;
      currentWindow.items += items;
      check();
    },
  };
}
