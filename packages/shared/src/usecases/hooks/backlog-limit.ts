import type { QueueItem } from '../../domain/queue-item.ts';
import { type WaitingByIntegration, type WaitingDeliveries, WaitingTally } from '../../domain/queue-item.ts';
import type { HookQueue, QueuePressure } from '../../ports/hook-queue.ts';
import type { Clock } from '../../runtime/clock.ts';

const checkEveryMs = 1_000;
const windowMs = 60_000;
const memoryUsedRatioMax = 0.8;
/** How often the limit asks the queue while an integration has used more than half of its share. */
const closeCheckEveryMs = 100;
/** How much memory a waiting delivery takes: these bytes, and this many times its payload. */
const memoryPerDelivery = { bytes: 300, payloadFactor: 1.5 };
/** Each integration may use this much memory, even if its share of the free memory is less. */
const shareBytesMin = 1_048_576;

/**
 * The admission limit of the hook queue: decides whether the pod still accepts hooks. It is exceeded while more than
 * `backlogMax` deliveries wait, or while Redis has used more than 80 % of its memory for any purpose.
 *
 * The queue counts jobs, so the number of deliveries is an estimate: the waiting jobs, times the mean number of items
 * (at least 1) in the jobs that this pod enqueued in the last one to two minutes of traffic. The limit asks the queue
 * at most once a second, or ten times a second while an integration is near its share. No caller waits for the answer.
 */
export function createBacklogLimit(
  queue: Pick<HookQueue, 'pressure'>,
  clock: Clock,
  { backlogMax, sharePercent }: { readonly backlogMax: number; readonly sharePercent: number },
) {
  const share = sharePercent / 100;
  const shareDeliveriesMax = Math.max(1, Math.floor(share * backlogMax));
  let waiting: WaitingByIntegration = new Map();
  let shareBytesMax = Number.POSITIVE_INFINITY;
  const admissions = new RecentAdmissions();
  let isChecking = false;
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
    waiting = pressure.waitingByIntegration;
    shareBytesMax = computeShareBytes(pressure, share);
    if (pressure.memoryUsedRatio !== null && pressure.memoryUsedRatio > memoryUsedRatioMax) {
      excess = `the queue has little memory left: ${Math.round(pressure.memoryUsedRatio * 100)} % is used`;
    } else {
      const isExceeded = pressure.waitingJobs * estimateItemsPerJob() > backlogMax;
      excess = isExceeded ? 'too many deliveries wait to be processed' : null;
    }
  }

  /** Asks the queue, unless it did so within `everyMs` or still waits. Updates `excess` when the answer arrives. */
  function check(everyMs = checkEveryMs): void {
    const nowMs = clock.monotonicMs();
    if (isChecking || nowMs - checkedAtMs < everyMs) return;
    checkedAtMs = nowMs;
    isChecking = true;
    void ask();
  }

  async function ask(): Promise<void> {
    const endQuestion = admissions.startQuestion();
    try {
      applyPressure(await queue.pressure());
    } catch {
      // The last result stays valid. If the queue is down, the enqueues fail by themselves.
    }
    endQuestion();
    isChecking = false;
  }

  return {
    /** Returns the exceeded bound as text for our logs, or null if no bound is exceeded. */
    excess(): string | null {
      // Nothing is flushed while a bound is exceeded, so `recordFlush` cannot notice that it no longer is.
      if (excess !== null) check();
      return excess;
    },
    /**
     * Counts an item that this pod is about to accept. Returns false, and does not count it, if the waiting deliveries
     * of its integration exceed the integration's share of `backlogMax` or of the queue's memory.
     */
    admit(item: QueueItem): boolean {
      if (share >= 1 || item.type === 'nudge') return true;
      const { integrationId } = item.delivery;
      const known = waiting.get(integrationId) ?? none;
      const recent = admissions.count(integrationId);
      const deliveries = known.deliveries + recent.deliveries;
      const used = estimateMemory({ deliveries, bytes: known.bytes + recent.bytes });
      if (2 * deliveries >= shareDeliveriesMax || 2 * used >= shareBytesMax) check(closeCheckEveryMs);
      if (deliveries >= shareDeliveriesMax || used >= shareBytesMax) return false;
      admissions.add(item);
      return true;
    },
    /** Records how many items a flush has per job, for the estimate of waiting deliveries. */
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

const none: WaitingDeliveries = { deliveries: 0, bytes: 0 };

function estimateMemory({ deliveries, bytes }: WaitingDeliveries): number {
  return memoryPerDelivery.bytes * deliveries + memoryPerDelivery.payloadFactor * bytes;
}

/** The share of the memory that the queue has and may still get, in bytes. Infinite if the store has no limit. */
function computeShareBytes(pressure: QueuePressure, share: number): number {
  const { memoryLimitBytes, memoryUsedRatio, waitingByIntegration } = pressure;
  if (memoryLimitBytes === null || memoryUsedRatio === null) return Number.POSITIVE_INFINITY;
  let queueBytes = 0;
  for (const counts of waitingByIntegration.values()) queueBytes += estimateMemory(counts);
  const freeBytes = (memoryUsedRatioMax - memoryUsedRatio) * memoryLimitBytes;
  return Math.max(shareBytesMin, share * (freeBytes + queueBytes));
}

/**
 * The deliveries that this pod has accepted and that the queue's last count may not include yet. A delivery may still
 * be on its way to the queue when the queue counts. So it stays in this sum until the next count has arrived. For a
 * moment it is counted twice, but it is never missed.
 */
class RecentAdmissions {
  readonly #sinceQuestion = new WaitingTally();
  #beforeQuestion: WaitingByIntegration = new Map();

  add(item: QueueItem): void {
    this.#sinceQuestion.add([item]);
  }

  count(integrationId: string): WaitingDeliveries {
    const since = this.#sinceQuestion.counts.get(integrationId) ?? none;
    const before = this.#beforeQuestion.get(integrationId) ?? none;
    return { deliveries: since.deliveries + before.deliveries, bytes: since.bytes + before.bytes };
  }

  /** Call it before the queue is asked, and the function that it returns once the queue has answered, or failed to. */
  startQuestion(): () => void {
    const latest = this.#sinceQuestion.drain();
    const all = new WaitingTally();
    for (const counts of [this.#beforeQuestion, latest]) all.addAll(counts);
    this.#beforeQuestion = all.counts;
    return () => {
      this.#beforeQuestion = latest;
    };
  }
}
