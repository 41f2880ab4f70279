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

/** How many entries BullMQ keeps in its stream of events about a queue's jobs. Few, because we do not read it. */
const queueEventsMax = 100;
const failureBackoff = { firstMs: 200, maxMs: 5000 };
/** How long a job of a newer version stays active before each release. Meanwhile no later job can overtake it. */
const newerVersionBackoff = { firstMs: 2000, maxMs: 30_000 };

export interface PartitionConsumerOptions extends ConsumeOptions {
  readonly redis: WorkerRedis;
  readonly keys: RedisKeys;
  readonly partitionCount: number;
  readonly partition: number;
  readonly timing: WorkerTiming;
  readonly onWarning: OnWarning;
  readonly handle: (batch: ConsumedBatch) => Promise<ConsumeOutcome>;
}

/** Consumes one partition: its queue, and a BullMQ worker that runs one job at a time. */
export class PartitionConsumer {
  readonly name: string;
  readonly #options: PartitionConsumerOptions;
  readonly #queue: Queue<string>;
  readonly #worker: MonitoredWorker;
  readonly #waiting: RedisWaitingCounts;
  readonly #running = new Map<string, AbortController>();
  readonly #closing = new AbortController();
  #handledAtMs = 0;

  constructor(options: PartitionConsumerOptions) {
    this.#options = options;
    const { redis, keys, timing } = options;
    this.#waiting = new RedisWaitingCounts(redis, keys);
    this.name = queueName(options.partitionCount, options.partition);
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
   * True from the start of a job until it is done, or until the consumer is ready again after a release. The handler
   * may wait long for a store, and meanwhile the worker asks for no job.
   */
  get isBusy(): boolean {
    return this.#running.size > 0;
  }

  /** Whether it has started the job and is not done with it: see `isBusy`. */
  holds(jobId: string): boolean {
    return this.#running.has(jobId);
  }

  get isRunning(): boolean {
    return this.#worker.isRunning();
  }

  /**
   * When the worker last asked for a job or finished one, on the clock of `performance.now()`. Finishing counts because
   * BullMQ fetches the next job in the same call.
   */
  get activeAtMs(): number {
    return Math.max(this.#worker.polledAtMs, this.#handledAtMs);
  }

  /**
   * Starts the worker if it does not run, and repairs the queue after Redis lost data or failed. Waits for Redis
   * without limit.
   */
  async maintain(): Promise<void> {
    // The global concurrency is a field in Redis. Without it, several workers could run jobs of this queue at once.
    // So it is set before the worker starts, and again at each maintenance: Redis may have lost it.
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

  /** Ends the lock renewal, for a caller that no longer waits for `close`. */
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
      // In BullMQ this error means that the job is neither done nor failed. A job that could not be released is still
      // active, and returns when its lock expires.
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
      const { partition } = this.#options;
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
   * A job that was started more than `maxStartCount` times, or that has unreadable parts, runs alone: its problem must
   * not affect other jobs.
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
   * Stops renewing the lock of a job that was released, or could not be. A released job may already run elsewhere. The
   * other one starts again when its lock expires.
   */
  stopRenewingLock(jobId: string): void {
    this.lockManager.untrackJob(jobId);
  }

  /** Stops the renewal of all locks. `close` does this only after its wait for Redis, which may not end. */
  abandon(): Promise<void> {
    return this.lockManager.close();
  }

  protected override async moveToActive(token: string, name?: string): Promise<Job<string, null>> {
    this.#polledAtMs = performance.now();
    try {
      return await super.moveToActive(token, name);
    } catch (error) {
      // After an error reply of Redis (such as out of memory) BullMQ asks again at once, without end.
      await delay(pauseAfterFailureMs);
      throw error;
    }
  }
}
