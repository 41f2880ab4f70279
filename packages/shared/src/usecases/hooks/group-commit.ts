import { randomUUID } from 'node:crypto';
import { UnavailableError } from '../../domain/errors.ts';
import { assignPartition, type QueueItem, toOrderingKey } from '../../domain/queue-item.ts';
import type { HookBatch, HookQueue } from '../../ports/hook-queue.ts';
import type { Clock } from '../../runtime/clock.ts';
import { requestDeadlineMs } from '../../runtime/deadline.ts';
import { createBacklogLimit } from './backlog-limit.ts';

export interface GroupCommitOptions {
  /** Items of one job. */
  readonly batchMax: number;
  /** Size of one job, in bytes of payload. */
  readonly batchMaxBytes: number;
  /** Deliveries that may wait before new ones are refused. */
  readonly backlogMax: number;
  /** How long a caller waits at most. */
  readonly deadlineMs: number;
  /** Callers that may wait at once, so that an outage cannot fill the memory. */
  readonly waitersMax: number;
  /** A name that no other job has. */
  readonly createJobId: () => string;
}

const groupCommitDefaults: GroupCommitOptions = {
  batchMax: 256,
  batchMaxBytes: 512 * 1024,
  backlogMax: 1_000_000,
  deadlineMs: requestDeadlineMs,
  waitersMax: 50_000,
  createJobId: () => `job-${randomUUID()}`,
};

const retryPauseMs = 100;

interface Waiter {
  readonly item: QueueItem;
  readonly deadlineAtMs: number;
  isSettled: boolean;
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

/**
 * The pod's one gate to the hook queue. While a flush is in flight everything waits; when it returns, all that waits
 * is stored in one turn, as one job per partition. So the cost of a durable write is shared by whatever arrived
 * meanwhile, and an idle pod adds no delay.
 */
export class GroupCommit {
  readonly #queue: HookQueue;
  readonly #clock: Clock;
  readonly #options: GroupCommitOptions;
  readonly #backlog: ReturnType<typeof createBacklogLimit>;
  /** Everyone who has no outcome yet, in the order of their deadlines. */
  #pending: Waiter[] = [];
  #waiting: Waiter[] = [];
  #isFlushing = false;
  #expiryTimer: NodeJS.Timeout | undefined;

  constructor(queue: HookQueue, clock: Clock, options: Partial<GroupCommitOptions> = {}) {
    this.#queue = queue;
    this.#clock = clock;
    this.#options = { ...groupCommitDefaults, ...options };
    this.#backlog = createBacklogLimit(queue, clock, this.#options.backlogMax);
  }

  /**
   * Resolves once the item is durable. Rejects with `UnavailableError` at the deadline at the latest, or at once when
   * too much waits already; the item may be stored all the same.
   */
  submit(item: QueueItem): Promise<void> {
    const excess = this.#backlog.excess();
    if (excess !== null) return Promise.reject(new UnavailableError(excess));
    if (this.#pending.length >= this.#options.waitersMax) {
      return Promise.reject(new UnavailableError('too many requests wait for the queue'));
    }
    return new Promise((resolve, reject) => {
      const deadlineAtMs = this.#clock.monotonicMs() + this.#options.deadlineMs;
      const waiter = { item, deadlineAtMs, isSettled: false, resolve, reject };
      this.#pending.push(waiter);
      this.#waiting.push(waiter);
      this.#armExpiry();
      if (!this.#isFlushing) {
        this.#isFlushing = true;
        // Not at once: what else arrives in this turn of the event loop shares the write.
        setImmediate(() => void this.#flush());
      }
    });
  }

  async #flush(): Promise<void> {
    while (this.#waiting.length > 0) {
      const waiters = this.#waiting.filter((waiter) => !waiter.isSettled);
      this.#waiting = [];
      const jobs = this.#toJobs(waiters);
      this.#backlog.recordFlush(jobs.length, waiters.length);
      await Promise.all(jobs.map(([batch, members]) => this.#store(batch, members)));
    }
    this.#isFlushing = false;
  }

  /** Tries again until it is stored or every caller has given up; always under the same job id. */
  async #store(batch: HookBatch, members: readonly Waiter[]): Promise<void> {
    for (;;) {
      try {
        await this.#queue.enqueue(batch);
        this.#settleAll(members);
        return;
      } catch (error) {
        const last = members.reduce((latest, waiter) => Math.max(latest, waiter.deadlineAtMs), 0);
        if (this.#clock.monotonicMs() + retryPauseMs >= last) {
          this.#settleAll(members, error as Error);
          return;
        }
        await this.#clock.sleep(retryPauseMs);
      }
    }
  }

  #toJobs(waiters: readonly Waiter[]): [HookBatch, Waiter[]][] {
    const { batchMax, batchMaxBytes } = this.#options;
    const open = new Map<number, { members: Waiter[]; bytes: number }>();
    const jobs: [HookBatch, Waiter[]][] = [];
    for (const waiter of waiters) {
      const partition = assignPartition(toOrderingKey(waiter.item), this.#queue.partitionCount);
      const bytes = estimateBytes(waiter.item);
      let job = open.get(partition);
      if (job === undefined || job.members.length >= batchMax || job.bytes + bytes > batchMaxBytes) {
        job = { members: [], bytes: 0 };
        open.set(partition, job);
        const items: QueueItem[] = [];
        jobs.push([{ jobId: this.#options.createJobId(), partition, items }, job.members]);
      }
      job.members.push(waiter);
      job.bytes += bytes;
    }
    return jobs.map(([batch, members]) => [{ ...batch, items: members.map((member) => member.item) }, members]);
  }

  #settleAll(waiters: readonly Waiter[], error?: Error): void {
    for (const waiter of waiters) {
      if (waiter.isSettled) continue;
      waiter.isSettled = true;
      if (error === undefined) waiter.resolve();
      else waiter.reject(error);
    }
    this.#pending = this.#pending.filter((waiter) => !waiter.isSettled);
  }

  /** One timer for all: the callers wait in the order of their deadlines. */
  #armExpiry(): void {
    if (this.#expiryTimer !== undefined) return;
    const oldest = this.#pending[0];
    if (oldest === undefined) return;
    const delayMs = Math.max(1, oldest.deadlineAtMs - this.#clock.monotonicMs());
    // As with every deadline, what has been received is read first.
    this.#expiryTimer = setTimeout(() => setImmediate(() => this.#expire()), delayMs);
  }

  #expire(): void {
    this.#expiryTimer = undefined;
    const nowMs = this.#clock.monotonicMs();
    const over = this.#pending.filter((waiter) => waiter.deadlineAtMs <= nowMs);
    this.#settleAll(over, new UnavailableError('the hook queue did not answer in time'));
    this.#armExpiry();
  }
}

/** Roughly what an item adds to a job: the payload, and about as much as the rest of a delivery takes. */
function estimateBytes(item: QueueItem): number {
  return item.type === 'nudge' ? 64 : 320 + (item.delivery.payload?.length ?? 0);
}
