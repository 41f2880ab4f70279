import { randomUUID } from 'node:crypto';
import { describeError, ServiceError, UnavailableError } from '../../domain/errors.ts';
import { assignPartition, batchLimits, type QueueItem, toOrderingKey } from '../../domain/queue-item.ts';
import type { HookJob, HookQueue } from '../../ports/hook-queue.ts';
import { type Clock, requestDeadlineMs } from '../../runtime/clock.ts';
import { createBacklogLimit } from './backlog-limit.ts';

export interface GroupCommitOptions {
  /** The most items of one job. */
  readonly jobItemsMax: number;
  /** The most bytes of one job, as `estimateBytes` counts them. A larger item gets a job of its own. */
  readonly jobBytesMax: number;
  /** How many deliveries may wait in the queue before new items are rejected (`HOOK_BACKLOG_MAX`). */
  readonly backlogMax: number;
  /** The share of the backlog that one integration may use, in percent. */
  readonly sharePercent: number;
  /** How many callers may wait at once. This bounds the memory that an outage can use. */
  readonly waitersMax: number;
  /** How many flushes may be in flight at once. With only one, the pod would be idle while the queue stores it. */
  readonly flushesMax: number;
  /** Creates an id that no other job has. */
  readonly createJobId: () => string;
}

const groupCommitDefaults: GroupCommitOptions = {
  jobItemsMax: batchLimits.items,
  jobBytesMax: batchLimits.bytes,
  backlogMax: 1_000_000,
  // One integration can fill half of the queue. Only two together can keep out the hooks of others.
  sharePercent: 50,
  waitersMax: 50_000,
  flushesMax: 2,
  createJobId: () => `job-${randomUUID()}`,
};

const retryPauseMs = 100;

/** A caller of `submit` and its item. */
interface Waiter {
  readonly item: QueueItem;
  readonly deadlineAtMs: number;
  isSettled: boolean;
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

/**
 * The pod's group commit: stores concurrent hooks, and nudges (requests to publish an outbox), in shared writes.
 *
 * 1. An item arrives. If fewer than `flushesMax` flushes are in flight, one starts at the end of this event-loop turn.
 *    Otherwise the item waits.
 * 2. The flush stores everything that waits: one job per partition, more if a job would exceed its limits.
 * 3. Each caller's promise resolves when its job is durable. When all jobs of the flush are stored or have failed, the
 *    next flush starts, if more items wait.
 *
 * So items that arrive during a durable write share a later one, and an idle pod adds no delay. Items of flushes that
 * are in flight together may be stored in any order: if the first attempt of one fails, the other overtakes it. A
 * sender that waits for each response is not affected, because its second hook arrives after its first one is durable.
 */
export class GroupCommit {
  readonly #queue: HookQueue;
  readonly #clock: Clock;
  readonly #options: GroupCommitOptions;
  readonly #backlog: ReturnType<typeof createBacklogLimit>;
  /** Callers whose promise is still pending. */
  readonly #pending = new Set<Waiter>();
  /** Callers whose item waits for the next flush. The flush skips a caller whose deadline has passed. */
  #waiting: Waiter[] = [];
  /** The error of the last attempt to store a job. Null: it succeeded. */
  #lastError: Error | null = null;
  #flushesInFlight = 0;
  #isFlushScheduled = false;
  #expiryTimer: NodeJS.Timeout | undefined;
  /** When the timer is due, on the monotonic clock. Infinite: it is not running. */
  #expiryAtMs = Number.POSITIVE_INFINITY;

  constructor(queue: HookQueue, clock: Clock, options: Partial<GroupCommitOptions> = {}) {
    this.#queue = queue;
    this.#clock = clock;
    this.#options = { ...groupCommitDefaults, ...options };
    this.#backlog = createBacklogLimit(queue, clock, this.#options);
  }

  /**
   * Resolves once the item is durable in the queue. Rejects with `UnavailableError` at once if the admission limit is
   * exceeded or too many callers wait: the item is then not stored. Rejects with `ServiceError`
   * `integration-backlog-full` at once if the integration has used its share of the backlog: not stored either. Rejects
   * with `UnavailableError` after `withinMs` milliseconds: the item may then be stored all the same.
   */
  submit(item: QueueItem, withinMs = requestDeadlineMs): Promise<void> {
    const excess = this.#backlog.excess();
    if (excess !== null) return Promise.reject(new UnavailableError(excess));
    if (this.#pending.size >= this.#options.waitersMax) {
      return Promise.reject(new UnavailableError('too many requests of this pod wait for the hook queue'));
    }
    if (!this.#backlog.admit(item)) {
      const detail = 'Too many hooks of this integration wait to be processed.';
      return Promise.reject(new ServiceError('integration-backlog-full', detail));
    }
    return new Promise((resolve, reject) => {
      const deadlineAtMs = this.#clock.monotonicMs() + withinMs;
      const waiter = { item, deadlineAtMs, isSettled: false, resolve, reject };
      this.#pending.add(waiter);
      this.#waiting.push(waiter);
      this.#armExpiry(deadlineAtMs);
      this.#scheduleFlush();
    });
  }

  /** Why hooks are refused now, for operators. Null: the last attempt succeeded, or there was none. */
  get failure(): string | null {
    return this.#backlog.excess() ?? (this.#lastError === null ? null : describeError(this.#lastError));
  }

  #scheduleFlush(): void {
    if (this.#isFlushScheduled || this.#waiting.length === 0) return;
    if (this.#flushesInFlight >= this.#options.flushesMax) return;
    this.#isFlushScheduled = true;
    // Items that arrive in the same event-loop turn share the write.
    setImmediate(() => void this.#flush());
  }

  async #flush(): Promise<void> {
    this.#isFlushScheduled = false;
    this.#flushesInFlight += 1;
    const waiters = this.#waiting.filter((waiter) => !waiter.isSettled);
    this.#waiting = [];
    const jobs = this.#toJobs(waiters);
    this.#backlog.recordFlush(jobs.length, waiters.length);
    await Promise.all(jobs.map(([job, callers]) => this.#store(job, callers)));
    this.#flushesInFlight -= 1;
    this.#scheduleFlush();
  }

  /**
   * Retries until the job is stored or the last caller's deadline is near. The job id stays the same, so a retry cannot
   * store the job twice while it is in the queue.
   */
  async #store(job: HookJob, callers: readonly Waiter[]): Promise<void> {
    for (;;) {
      try {
        await this.#queue.enqueue(job);
        this.#lastError = null;
        this.#settleAll(callers);
        return;
      } catch (error) {
        this.#lastError = error as Error;
        const lastDeadlineAtMs = callers.reduce((latest, { deadlineAtMs }) => Math.max(latest, deadlineAtMs), 0);
        if (this.#clock.monotonicMs() + retryPauseMs >= lastDeadlineAtMs) {
          this.#settleAll(callers, error as Error);
          return;
        }
        await this.#clock.sleep(retryPauseMs);
      }
    }
  }

  /** Distributes the items to jobs, in order. Each job comes with the callers of its items. */
  #toJobs(waiters: readonly Waiter[]): [HookJob, Waiter[]][] {
    const { jobItemsMax, jobBytesMax, createJobId } = this.#options;
    const { partitionCount } = this.#queue;
    const openJobs = new Map<number, { items: QueueItem[]; callers: Waiter[]; bytes: number }>();
    const jobs: [HookJob, Waiter[]][] = [];
    for (const waiter of waiters) {
      const partition = assignPartition(toOrderingKey(waiter.item), partitionCount);
      const bytes = estimateBytes(waiter.item);
      let openJob = openJobs.get(partition);
      if (openJob === undefined || openJob.items.length >= jobItemsMax || openJob.bytes + bytes > jobBytesMax) {
        openJob = { items: [], callers: [], bytes: 0 };
        openJobs.set(partition, openJob);
        jobs.push([{ jobId: createJobId(), partition, items: openJob.items }, openJob.callers]);
      }
      openJob.items.push(waiter.item);
      openJob.callers.push(waiter);
      openJob.bytes += bytes;
    }
    return jobs;
  }

  #settleAll(waiters: readonly Waiter[], error?: Error): void {
    for (const waiter of waiters) {
      if (waiter.isSettled) continue;
      waiter.isSettled = true;
      this.#pending.delete(waiter);
      if (error === undefined) waiter.resolve();
      else waiter.reject(error);
    }
  }

  /** One timer serves all callers. It is due at the earliest deadline, or earlier. */
  #armExpiry(deadlineAtMs: number): void {
    if (deadlineAtMs >= this.#expiryAtMs) return;
    clearTimeout(this.#expiryTimer);
    this.#expiryAtMs = deadlineAtMs;
    const delayMs = Math.max(1, deadlineAtMs - this.#clock.monotonicMs());
    // The setImmediate lets Node read answers that have already arrived: a busy process must not count them as late.
    this.#expiryTimer = setTimeout(() => setImmediate(() => this.#expire()), delayMs);
  }

  #expire(): void {
    this.#expiryAtMs = Number.POSITIVE_INFINITY;
    const nowMs = this.#clock.monotonicMs();
    const expired = [...this.#pending].filter((waiter) => waiter.deadlineAtMs <= nowMs);
    // Their own attempt has usually not ended yet. It probably fails for the same reason as the last one.
    this.#settleAll(expired, this.#lastError ?? new UnavailableError('the hook queue did not answer in time'));
    let earliestMs = Number.POSITIVE_INFINITY;
    for (const { deadlineAtMs } of this.#pending) earliestMs = Math.min(earliestMs, deadlineAtMs);
    this.#armExpiry(earliestMs);
  }
}

/** Estimates how many bytes an item adds to a job: about 64 for a nudge, or 320 and the payload for a delivery. */
function estimateBytes(item: QueueItem): number {
  return item.type === 'nudge' ? 64 : 320 + (item.delivery.payload?.length ?? 0);
}
