import type { HookQueue, QueuePressure } from '../../ports/hook-queue.ts';
import type { Clock } from '../../runtime/clock.ts';

const checkEveryMs = 1_000;
const windowMs = 60_000;
const memoryUsedRatioMax = 0.8;

/**
 * Tells when too much waits in the queue to take more, or when its memory is nearly used up, by whatever is in it. The
 * queue counts jobs; how many deliveries that makes is estimated from this pod's own jobs of the last minute, at least
 * one each. Asked for at most once a second, and never waited for.
 */
export function createBacklogLimit(queue: Pick<HookQueue, 'pressure'>, clock: Clock, backlogMax: number) {
  let excess: string | null = null;
  let checkedAtMs = Number.NEGATIVE_INFINITY;
  let windowStartMs = clock.monotonicMs();
  let current = { jobs: 0, items: 0 };
  let previous = { jobs: 0, items: 0 };

  function meanItemsPerJob(): number {
    const jobs = current.jobs + previous.jobs;
    return jobs === 0 ? 1 : Math.max(1, (current.items + previous.items) / jobs);
  }

  function judge(pressure: QueuePressure): void {
    if (pressure.memoryUsedRatio !== null && pressure.memoryUsedRatio > memoryUsedRatioMax) {
      excess = `the queue has little memory left: ${Math.round(pressure.memoryUsedRatio * 100)} % is used`;
    } else {
      const isOver = pressure.waitingJobs * meanItemsPerJob() > backlogMax;
      excess = isOver ? 'too many deliveries wait to be processed' : null;
    }
  }

  function check(): void {
    const nowMs = clock.monotonicMs();
    if (nowMs - checkedAtMs < checkEveryMs) return;
    checkedAtMs = nowMs;
    // A queue that cannot be asked refuses the hooks by itself; the last verdict stands.
    queue.pressure().then(judge, () => undefined);
  }

  return {
    /** Which bound is exceeded, for our logs; null while none is. */
    excess(): string | null {
      if (excess !== null) check();
      return excess;
    },
    recordFlush(jobs: number, items: number): void {
      const nowMs = clock.monotonicMs();
      if (nowMs - windowStartMs > windowMs) {
        previous = current;
        current = { jobs: 0, items: 0 };
        windowStartMs = nowMs;
      }
      current.jobs += jobs;
      current.items += items;
      check();
    },
  };
}
