import type { MalformedDelivery } from '../domain/delivery.ts';
import type { QueueItem, WaitingByIntegration } from '../domain/queue-item.ts';

/** A malformed item of a job, or a whole malformed job. A job of a newer version is not malformed: it waits. */
export interface UnreadableItem {
  /** The text in the queue. */
  readonly text: string;
  /** The readable parts of the delivery. Null if its event id or integration id cannot be read. */
  readonly delivery: MalformedDelivery | null;
}

/** A job for `HookQueue.enqueue`. */
export interface HookJob {
  /** Chosen before the first attempt, so that another attempt cannot store a second job while this one exists. */
  readonly jobId: string;
  readonly partition: number;
  readonly items: readonly QueueItem[];
}

/** A started job, together with the jobs that were coalesced with it. */
export interface ConsumedBatch {
  /** The job that was started. */
  readonly jobId: string;
  readonly partition: number;
  /** The items of the started job, then those of the coalesced jobs. */
  readonly items: readonly QueueItem[];
  /** The unreadable parts of the started job. The handler stores them as dead letters or in quarantine. */
  readonly unreadable: readonly UnreadableItem[];
  /** How often the job was started, including this time. Only a hint: a restored store may have lost some starts. */
  readonly startCount: number;
  /** Aborted when this consumer loses the job or closes. The handler stops as soon as it safely can. */
  readonly signal: AbortSignal;
}

export interface ConsumeOptions {
  /**
   * Whether the consumer coalesces: it processes waiting jobs together with the started one, within `coalesceLimits`. A
   * run costs much the same for one item as for many. A job that was started more than `maxStartCount` times runs
   * alone, and so does a job with unreadable parts.
   */
  readonly coalesce: boolean;
  /**
   * Called after each release. Until it resolves, this consumer starts no job of the partition, so that another
   * consumer can start the released one. `signal` is aborted when the consumer closes: it must then resolve soon. It
   * must never reject.
   */
  readonly waitUntilReady?: (signal: AbortSignal) => Promise<void>;
}

/** `done` removes the job and the coalesced jobs. `release` puts the job back at the front of its partition. */
export type ConsumeOutcome = 'done' | 'release';

/** What the admission limit reads. It estimates the waiting deliveries from the waiting jobs. */
export interface QueuePressure {
  /**
   * How many jobs wait, approximately. The cluster leaves out the queues of another partition count. Embedded includes
   * coalesced jobs that already run.
   */
  readonly waitingJobs: number;
  /** Used memory as a fraction of the store's memory limit, 0 to 1. Null if the store has no such limit. */
  readonly memoryUsedRatio: number | null;
  /** The store's memory limit in bytes. Null if it has none. */
  readonly memoryLimitBytes: number | null;
  /**
   * The deliveries that wait or are being processed, by integration, approximately: a crash of a process may leave
   * errors, until the queue is empty. Embedded: only those that were enqueued since the start.
   */
  readonly waitingByIntegration: WaitingByIntegration;
}

/** One queue at one moment. */
export interface QueueState {
  /** The name of the queue in the store, for operators. Each partition of each partition count has its own. */
  readonly queue: string;
  /** Its partition, among those of its partition count. */
  readonly partition: number;
  /** Jobs that wait or are being processed. */
  readonly jobs: number;
  /** When the oldest of them was enqueued, by the clock of the process that enqueued it. Null if there is none. */
  readonly oldestEnqueuedAt: Date | null;
  /** Whether a consumer of another process has started one of them, and still holds its lock. */
  readonly isActiveElsewhere: boolean;
}

/**
 * The queue of accepted hooks, in partitions. Within a partition, jobs start in order of arrival, one at a time. Jobs
 * run at least once: after a consumer crashes, its job starts again, and may run twice at the same time. A job that a
 * newer version wrote waits for a consumer of that version, and its partition waits with it.
 */
export interface HookQueue {
  /** Number of partitions for new jobs. It may change while the process runs. */
  readonly partitionCount: number;
  /**
   * Resolves once the job is durable. Rejects with `UnavailableError` within 2 s; the job may then be stored or not. A
   * job whose `jobId` is waiting or active is not stored again, so another attempt with the same `jobId` is safe.
   */
  enqueue(job: HookJob): Promise<void>;
  /** Rejects with `UnavailableError`. */
  pressure(): Promise<QueuePressure>;
  /**
   * Returns the state of every queue, also of earlier partition counts. Rejects with `UnavailableError`. It is for
   * operators: unlike `pressure`, no hook waits for it.
   */
  inspect(): Promise<readonly QueueState[]>;
  /**
   * Starts to pass jobs to `handle`, from every partition that ever existed. If `handle` rejects, the consumer releases
   * the job. A job stays in the queue until `handle` resolves with `done`, even if the consumer crashes.
   */
  consume(handle: (batch: ConsumedBatch) => Promise<ConsumeOutcome>, options?: ConsumeOptions): Promise<HookConsumer>;
}

export interface HookConsumer {
  /** Throws an `Error` if the consumer is stuck: it has not asked the queue for a job for too long. */
  checkProgress(): void;
  /**
   * Starts no more jobs, aborts the signals of the running ones, and waits until these are done or released. The
   * cluster waits for 10 s at most. A job that is still running after that starts again when its lock expires.
   */
  close(): Promise<void>;
}
