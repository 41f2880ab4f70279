import type { QueueItem } from '@widget-service/shared/domain/queue-item.ts';
import { parseHookJob, type ReadJob } from '@widget-service/shared/ports/hook-job.ts';
import type { ConsumedBatch, ConsumeOptions, ConsumeOutcome } from '@widget-service/shared/ports/hook-queue.ts';
import { takeAlongLimits } from '@widget-service/shared/ports/take-along.ts';
import { backoffMs } from '@widget-service/shared/runtime/backoff.ts';
import { systemClock } from '@widget-service/shared/runtime/clock.ts';
import { type Job, Queue, WaitingError } from 'bullmq';
import type { OnWarning, WorkerRedis } from '../redis/connections.ts';
import { queueName, type RedisKeys } from '../redis/keys.ts';
import { isConnectionError, reasonOf } from '../redis/translate-error.ts';
import { type JobsTakenAlong, removeTakenAlong, takeAlong } from './jobs-taken-along.ts';
import { caretakerQueueOptions, type WorkerTiming, workerOptions } from './queue-options.ts';
import { WatchedWorker } from './watched-worker.ts';

/** Queues keep a log of what happened to their jobs, which nobody reads here. */
const keptQueueEvents = 100;
const rejectedBackoff = { firstMs: 200, maxMs: 5000 };
/** A job of a newer version waits for a worker of that version, with its lock renewed: nothing overtakes it. */
const newerVersionBackoff = { firstMs: 2000, maxMs: 30_000 };

export interface ConsumerLaneOptions extends ConsumeOptions {
  readonly redis: WorkerRedis;
  readonly keys: RedisKeys;
  readonly partitionCount: number;
  readonly partition: number;
  readonly timing: WorkerTiming;
  readonly onWarning: OnWarning;
  readonly handle: (batch: ConsumedBatch) => Promise<ConsumeOutcome>;
}

/** One queue and the worker that empties it, a job at a time. */
export class ConsumerLane {
  readonly name: string;
  readonly #options: ConsumerLaneOptions;
  readonly #queue: Queue<string>;
  readonly #worker: WatchedWorker;
  readonly #running = new Map<string, AbortController>();
  readonly #closing = new AbortController();
  #handledAtMs = 0;

  constructor(options: ConsumerLaneOptions) {
    this.#options = options;
    const { redis, keys, timing } = options;
    this.name = queueName(options.partitionCount, options.partition);
    this.#queue = new Queue<string>(this.name, caretakerQueueOptions(redis, keys.queuePrefix));
    this.#queue.on('error', () => undefined);
    this.#worker = new WatchedWorker(
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
  async lookAfter(): Promise<void> {
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
      this.#worker.letGo(jobId);
      // Before BullMQ is told: it would ask for the next job at once.
      await this.#options.untilAble?.(this.#closing.signal);
      // Tells BullMQ that the job is neither done nor failed. Where it could not be handed back it is still active,
      // and comes back once its lock has run out.
      throw new WaitingError();
    } finally {
      this.#running.delete(jobId);
      this.#handledAtMs = performance.now();
    }
  }

  async #handle(job: Job<string, null>, jobId: string, signal: AbortSignal): Promise<ConsumeOutcome> {
    const starts = job.attemptsStarted;
    const read = this.#read(job, jobId);
    if (read === null) {
      await systemClock.sleep(backoffMs(starts, newerVersionBackoff), signal);
      return 'hand-back';
    }
    try {
      const { items, unreadable } = read;
      const along = this.#mayTakeAlong(read, starts) ? await this.#takeAlong(job, items) : { jobIds: [], items: [] };
      const { partition } = this.#options;
      const batch = { jobId, partition, items: [...items, ...along.items], unreadable, starts, signal };
      const outcome = await this.#options.handle(batch);
      if (outcome === 'done') await removeTakenAlong(this.#queue, along.jobIds);
      return outcome;
    } catch (error) {
      this.#warn('hook job failed', error, jobId);
      await systemClock.sleep(backoffMs(starts, rejectedBackoff), signal);
      return 'hand-back';
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
  #mayTakeAlong({ unreadable }: ReadJob, starts: number): boolean {
    return this.#options.takeAlong && starts <= takeAlongLimits.startsOfFirst && unreadable.length === 0;
  }

  #takeAlong(job: Job<string, null>, items: readonly QueueItem[]): Promise<JobsTakenAlong> {
    return takeAlong(this.#options.redis, this.#queue, items, job.data.length);
  }

  #warn(message: string, error: unknown, jobId?: string): void {
    const job = jobId === undefined ? {} : { jobId };
    this.#options.onWarning(message, { queue: this.name, ...job, reason: reasonOf(error) });
  }
}
