import { setTimeout as delay } from 'node:timers/promises';
import { coalesceLimits } from '@widget-service/shared/adapters/coalesce-jobs.ts';
import { parseHookJob, type ReadJob } from '@widget-service/shared/adapters/hook-job-codec.ts';
import type { QueueItem } from '@widget-service/shared/domain/queue-item.ts';
import type { ConsumedBatch, ConsumeOptions, ConsumeOutcome } from '@widget-service/shared/ports/hook-queue.ts';
import { backoffMs } from '@widget-service/shared/runtime/backoff.ts';
import { systemClock } from '@widget-service/shared/runtime/clock.ts';
import { type Job, Queue, WaitingError, Worker } from 'bullmq';
import type { OnWarning, WorkerRedis } from '../redis/connections.ts';
import { queueName, type RedisKeys } from '../redis/keys.ts';
import { describeError, isConnectionError } from '../redis/translate-error.ts';
import { type CoalescedJobs, coalesceWaitingJobs, removeCoalescedJobs } from './coalesced-jobs.ts';
import { maintenanceQueueOptions, type WorkerTiming, workerOptions } from './queue-options.ts';

/** Queues keep a log of what happened to their jobs, which nobody reads here. */
const keptQueueEvents = 100;
const rejectedBackoff = { firstMs: 200, maxMs: 5000 };
/** A job of a newer version waits for a worker of that version, with its lock renewed: nothing overtakes it. */
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

/** One queue and the worker that empties it, a job at a time. */
export class PartitionConsumer {
  readonly name: string;
  readonly #options: PartitionConsumerOptions;
  readonly #queue: Queue<string>;
  readonly #worker: MonitoredWorker;
  readonly #running = new Map<string, AbortController>();
  readonly #closing = new AbortController();
  #handledAtMs = 0;

  constructor(options: PartitionConsumerOptions) {
    this.#options = options;
    const { redis, keys, timing } = options;
    this.name = queueName(options.partitionCount, options.partition);
    this.#queue = new Queue<string>(this.name, maintenanceQueueOptions(redis, keys.queuePrefix));
    this.#queue.on('error', () => undefined);
    this.#worker = new MonitoredWorker(
      this.name,
      (job, token) => this.#process(job, token ?? ''),
      workerOptions(redis, keys.queuePrefix, timing),
    );
    this.#worker.on('error', (error) => {
      // That Redis is away is told once, by the connection all lanes share.
      if (!isConnectionError(error)) this.#warn('hook worker', error);
    });
    this.#worker.on('lockRenewalFailed', (jobIds) => {
      for (const jobId of jobIds) this.#running.get(jobId)?.abort();
    });
  }

  /** Of a job that is being handled no news is expected: it may have to wait for a store. */
  get isBusy(): boolean {
    return this.#running.size > 0;
  }

  get isRunning(): boolean {
    return this.#worker.isRunning();
  }

  /** When it last asked for a job, or had one: the end of a job brings the next one along. */
  get activeAtMs(): number {
    return Math.max(this.#worker.polledAtMs, this.#handledAtMs);
  }

  /** Starts the worker where it does not run, and puts right what a wiped or failing Redis has put wrong. */
  async maintain(): Promise<void> {
    // A field of the queue in Redis: it is gone with a wiped Redis, and then several workers would take jobs at once.
    await this.#queue.getBackend().setQueueMeta({ concurrency: 1, 'opts.maxLenEvents': keptQueueEvents });
    if (!this.#worker.isRunning() && !this.#closing.signal.aborted) {
      this.#worker.run().catch((error) => this.#warn('hook worker ended', error));
    }
    // BullMQ may call a job failed whose end could not be written. None is: each runs until it is done.
    await this.#queue.retryJobs({ state: 'failed' });
  }

  /** Takes no more jobs and resolves when the running one has ended. Waits without limit when Redis is away. */
  async close(): Promise<void> {
    this.#closing.abort();
    for (const controller of this.#running.values()) controller.abort();
    await this.#worker.close();
    await this.#queue.close();
  }

  /** For when `close` has been waited for long enough. */
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
      await job.moveToWait(token).catch((error) => this.#warn('hook job could not be handed back', error, jobId));
      this.#worker.stopRenewingLock(jobId);
      // Before BullMQ is told: it would ask for the next job at once.
      await this.#options.waitUntilReady?.(this.#closing.signal);
      // Tells BullMQ that the job is neither done nor failed. Where it could not be handed back it is still active,
      // and comes back once its lock has run out.
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
      const along = this.#mayCoalesce(read, startCount) ? await this.#coalesce(job, items) : { jobIds: [], items: [] };
      const { partition } = this.#options;
      const batch = { jobId, partition, items: [...items, ...along.items], unreadable, startCount, signal };
      const outcome = await this.#options.handle(batch);
      if (outcome === 'done') await removeCoalescedJobs(this.#queue, along.jobIds);
      return outcome;
    } catch (error) {
      this.#warn('hook job failed', error, jobId);
      await systemClock.sleep(backoffMs(startCount, rejectedBackoff), signal);
      return 'release';
    }
  }

  /** Null for a job of a newer version. */
  #read(job: Job<unknown, null>, jobId: string): ReadJob | null {
    try {
      return parseHookJob(typeof job.data === 'string' ? job.data : JSON.stringify(job.data));
    } catch (error) {
      this.#warn('hook job waits for a newer version', error, jobId);
      return null;
    }
  }

  /** After several starts a job is run alone, so that what is wrong with it concerns no other. */
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

/** A BullMQ worker that remembers when it last asked for a job. */
export class MonitoredWorker extends Worker<string, null> {
  #polledAtMs = performance.now();

  get polledAtMs(): number {
    return this.#polledAtMs;
  }

  /** Renews the lock of this job no more: it may be another worker's by now. */
  stopRenewingLock(jobId: string): void {
    this.lockManager.untrackJob(jobId);
  }

  /** Stops what `close` does not come to while it waits for a Redis that is away. */
  abandon(): Promise<void> {
    return this.lockManager.close();
  }

  protected override async moveToActive(token: string, name?: string): Promise<Job<string, null>> {
    this.#polledAtMs = performance.now();
    try {
      return await super.moveToActive(token, name);
    } catch (error) {
      // BullMQ asks again at once when Redis answers with an error (out of memory, for one): without end or pause.
      await delay(pauseAfterFailureMs);
      throw error;
    }
  }
}
