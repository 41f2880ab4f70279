import { setTimeout as delay } from 'node:timers/promises';
import { coalesceLimits, parseHookJob, type ReadJob } from '@widget-service/shared/adapters/hook-job-codec.ts';
import { describeError } from '@widget-service/shared/domain/errors.ts';
import type { QueueItem } from '@widget-service/shared/domain/queue-item.ts';
import type { ConsumedBatch, ConsumeOptions, ConsumeOutcome } from '@widget-service/shared/ports/hook-queue.ts';
import { backoffMs, systemClock } from '@widget-service/shared/runtime/clock.ts';
import { type Job, Queue, WaitingError, Worker } from 'bullmq';
import type { WorkerRedis } from '../redis/connections.ts';
import { queueName, type RedisKeys } from '../redis/keys.ts';
import { isConnectionError } from '../redis/redis-call.ts';
import type { OnWarning } from '../redis/redis-failover.ts';
import { RedisWaitingCounts } from '../redis/redis-waiting-counts.ts';
import { type CoalescedJobs, coalesceWaitingJobs, removeCoalescedJobs } from './coalesced-jobs.ts';
import { maintenanceQueueOptions, type WorkerTiming, workerOptions } from './queue-options.ts';

/** The length of the stream in which BullMQ records events about jobs. Short, because nobody reads it. */
const queueEventsMax = 100;
const failureBackoff = { firstMs: 200, maxMs: 5000 };
/** How long a job of a newer version is held before each release, so that no later job overtakes it. */
const newerVersionBackoff = { firstMs: 2000, maxMs: 30_000 };

export interface PartitionConsumerOptions extends ConsumeOptions {
  /** Used by the consumers of this process alone, and closed with them. */
  readonly redis: WorkerRedis;
  readonly keys: RedisKeys;
  readonly timing: WorkerTiming;
  readonly onWarning: OnWarning;
  readonly handle: (batch: ConsumedBatch) => Promise<ConsumeOutcome>;
}

/** Consumes one partition: its queue, and a BullMQ worker that runs one job at a time. */
export class PartitionConsumer {
  readonly name: string;
  readonly #options: PartitionConsumerOptions;
  readonly #partition: number;
  readonly #queue: Queue<string>;
  readonly #worker: MonitoredWorker;
  readonly #waiting: RedisWaitingCounts;
  readonly #running = new Map<string, AbortController>();
  readonly #closing = new AbortController();
  #handledAtMs = 0;

  constructor(options: PartitionConsumerOptions, partitionCount: number, partition: number) {
    this.#options = options;
    this.#partition = partition;
    const { redis, keys, timing } = options;
    this.#waiting = new RedisWaitingCounts(redis, keys);
    this.name = queueName(partitionCount, partition);
    this.#queue = new Queue<string>(this.name, maintenanceQueueOptions(redis, keys.queuePrefix));
    // Each failing call rejects by itself, and the shared connection reports the outage.
    this.#queue.on('error', () => undefined);
    this.#worker = new MonitoredWorker(
      this.name,
      (job, token) => this.#process(job, token ?? ''),
      workerOptions(redis, keys.queuePrefix, timing),
    );
    this.#worker.on('error', (error) => {
      // The connection that all partitions share reports the outage, once.
      if (!isConnectionError(error)) this.#warn('a BullMQ worker met an error; it continues', error);
    });
    // The lock may expire, and then another worker starts the job.
    this.#worker.on('lockRenewalFailed', (jobIds) => {
      for (const jobId of jobIds) this.#running.get(jobId)?.abort();
    });
  }

  /**
   * True from the start of a job until it is done, or until the consumer is ready again after a release. A busy worker
   * asks for no job, however long its handler waits for a store.
   */
  get isBusy(): boolean {
    return this.#running.size > 0;
  }

  /** Whether this consumer is processing the job: see `isBusy`. */
  holds(jobId: string): boolean {
    return this.#running.has(jobId);
  }

  get isRunning(): boolean {
    return this.#worker.isRunning();
  }

  /**
   * When the worker last asked for a job, on the clock of `performance.now()`. Finishing a job also asks for the next
   * one.
   */
  get activeAtMs(): number {
    return Math.max(this.#worker.polledAtMs, this.#handledAtMs);
  }

  /**
   * Starts the worker if it does not run, and repairs the queue if Redis has lost data. Waits for Redis without limit.
   */
  async maintain(): Promise<void> {
    // The queue's global concurrency of 1 is a field in Redis, and keeps several workers from running its jobs at once.
    // Redis may have lost it, so it is set again each time, before the worker starts.
    await this.#queue.getBackend().setQueueMeta({ concurrency: 1, 'opts.maxLenEvents': queueEventsMax });
    if (!this.#worker.isRunning() && !this.#closing.signal.aborted) {
      this.#worker
        .run()
        .catch((error) => this.#warn('a BullMQ worker stopped; the next maintenance starts it again', error));
    }
    // BullMQ marks a job failed when it cannot record its completion. We never treat a job as failed: it runs again
    // until it is done.
    await this.#queue.retryJobs({ state: 'failed' });
  }

  /**
   * Starts no more jobs, aborts the signal of the running one, and resolves when it has ended. Waits for Redis without
   * limit.
   */
  async close(): Promise<void> {
    this.#closing.abort();
    for (const controller of this.#running.values()) controller.abort();
    await this.#worker.close();
    await this.#queue.close();
  }

  /** Stops renewing locks. For a caller that gives up waiting for `close`. */
  abandon(): Promise<void> {
    return this.#worker.abandon();
  }

  async #process(job: Job<string, null>, token: string): Promise<null> {
    const jobId = job.id ?? '';
    const controller = new AbortController();
    if (this.#closing.signal.aborted) controller.abort();
    this.#running.set(jobId, controller);
    try {
      if ((await this.#handle(job, jobId, controller.signal)) === 'done') return null;
      await job
        .moveToWait(token)
        .catch((error) =>
          this.#warn('hook job could not be released; it runs again when its lock expires', error, jobId),
        );
      this.#worker.stopRenewingLock(jobId);
      // Waits before the throw: after it, BullMQ asks for the next job at once.
      await this.#options.waitUntilReady?.(this.#closing.signal);
      // Tells BullMQ that the job is neither done nor failed. A job that could not be released is still active: another
      // worker starts it when its lock expires.
      throw new WaitingError();
    } finally {
      this.#running.delete(jobId);
      this.#handledAtMs = performance.now();
    }
  }

  async #handle(job: Job<string, null>, jobId: string, signal: AbortSignal): Promise<ConsumeOutcome> {
    const startCount = job.attemptsStarted;
    const read = this.#read(job, jobId);
    if (read === null) {
      await systemClock.sleep(backoffMs(startCount, newerVersionBackoff), signal);
      return 'release';
    }
    try {
      const { items, unreadable } = read;
      const mayCoalesce = this.#mayCoalesce(read, startCount);
      const coalesced = mayCoalesce ? await this.#coalesce(job, items) : { jobIds: [], items: [] };
      const partition = this.#partition;
      const batch = { jobId, partition, items: [...items, ...coalesced.items], unreadable, startCount, signal };
      const outcome = await this.#options.handle(batch);
      if (outcome === 'done') {
        await removeCoalescedJobs(this.#queue, coalesced.jobIds);
        void this.#waiting.reportDone(batch.items);
      }
      return outcome;
    } catch (error) {
      this.#warn('hook job met an error; it is released and runs again', error, jobId);
      await systemClock.sleep(backoffMs(startCount, failureBackoff), signal);
      return 'release';
    }
  }

  /** Returns null for a job that a newer version wrote. Data that is not a string is read as its JSON. */
  #read(job: Job<unknown, null>, jobId: string): ReadJob | null {
    try {
      return parseHookJob(typeof job.data === 'string' ? job.data : JSON.stringify(job.data));
    } catch (error) {
      this.#warn('hook job waits for a newer version of the service: start that version', error, jobId);
      return null;
    }
  }

  /**
   * A job that was started more than `maxStartCount` times or has unreadable parts runs alone, so that it does not
   * affect other jobs.
   */
  #mayCoalesce({ unreadable }: ReadJob, startCount: number): boolean {
    return this.#options.coalesce && startCount <= coalesceLimits.maxStartCount && unreadable.length === 0;
  }

  #coalesce(job: Job<string, null>, items: readonly QueueItem[]): Promise<CoalescedJobs> {
    return coalesceWaitingJobs(this.#options.redis, this.#queue, items, job.data.length);
  }

  #warn(message: string, error: unknown, jobId?: string): void {
    const job = jobId === undefined ? {} : { jobId };
    this.#options.onWarning(message, { queue: this.name, ...job, reason: describeError(error) });
  }
}

const pauseAfterFailureMs = 1000;

/** A BullMQ worker that records when it last asked for a job. */
class MonitoredWorker extends Worker<string, null> {
  #polledAtMs = performance.now();

  get polledAtMs(): number {
    return this.#polledAtMs;
  }

  /**
   * Stops renewing the lock of a job after its release. If the release failed, the job starts again when the lock
   * expires.
   */
  stopRenewingLock(jobId: string): void {
    this.lockManager.untrackJob(jobId);
  }

  /** Stops renewing all locks. `close` does this too, but only after a wait for Redis that may never end. */
  abandon(): Promise<void> {
    return this.lockManager.close();
  }

  protected override async moveToActive(token: string, name?: string): Promise<Job<string, null>> {
    this.#polledAtMs = performance.now();
    try {
      return await super.moveToActive(token, name);
    } catch (error) {
      // Without the pause, BullMQ would repeat the call in a busy loop after an error reply such as out of memory.
      await delay(pauseAfterFailureMs);
      throw error;
    }
  }
}
