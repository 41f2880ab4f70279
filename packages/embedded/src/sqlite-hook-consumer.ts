import { coalesceItems, parseHookJob, type ReadJob } from '@widget-service/shared/adapters/hook-job-codec.ts';
import { describeError } from '@widget-service/shared/domain/errors.ts';
import type { QueueItem } from '@widget-service/shared/domain/queue-item.ts';
import type {
  ConsumedBatch,
  ConsumeOptions,
  ConsumeOutcome,
  HookConsumer,
} from '@widget-service/shared/ports/hook-queue.ts';
import { backoffMs, systemClock } from '@widget-service/shared/runtime/clock.ts';
import type { Notifier } from './notifier.ts';

/** How long an idle consumer waits for a notification before it reads the queue again. */
const idleMs = 1000;
/** `checkProgress` throws if the queue was not read for this long. */
const stuckAfterMs = 30_000;
const retryBackoff = { firstMs: 100, maxMs: 1000 };
/** The pause before the consumer tries a job of a newer version again. Until then the job stays first in the queue. */
const newerVersionBackoff = { firstMs: 1000, maxMs: 20_000 };

/** A row of `hook_jobs`. */
export interface StoredJob {
  readonly seq: number;
  readonly job_id: string;
  readonly partition: number;
  readonly items: number;
  readonly body: string;
}

export interface StartedJob {
  readonly job: StoredJob;
  /** How often the job was started, including this time. */
  readonly startCount: number;
  /** The next jobs, which may be coalesced with it. */
  readonly waiting: readonly StoredJob[];
}

export interface SqliteHookConsumerOptions {
  readonly handle: (batch: ConsumedBatch) => Promise<ConsumeOutcome>;
  readonly waitUntilReady: ConsumeOptions['waitUntilReady'];
  /** Removes the finished jobs and starts the first of the others. Returns null if the queue is empty. */
  readonly startNext: (finished: readonly StoredJob[]) => Promise<StartedJob | null>;
  readonly remove: (finished: readonly StoredJob[]) => Promise<void>;
  /** Called with the items of each job that the handler has done, in the order of the jobs. */
  readonly onJobDone: (items: readonly QueueItem[]) => void;
  readonly enqueued: Notifier;
  readonly onWarning: (message: string, details?: object) => void;
}

/** Handles one job at a time. A job that is not done stays first in the queue. */
export class SqliteHookConsumer implements HookConsumer {
  readonly #options: SqliteHookConsumerOptions;
  readonly #closing = new AbortController();
  #running: Promise<void> = Promise.resolve();
  #isHandling = false;
  #isClosed = false;
  #lastReadAtMs = performance.now();

  constructor(options: SqliteHookConsumerOptions) {
    this.#options = options;
  }

  /** True while the handler runs, and while the consumer waits until it is ready again. */
  get isHandling(): boolean {
    return this.#isHandling;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  start(): void {
    this.#running = this.#run();
  }

  /** Throws an `Error` if the queue was not read for 30 s, unless a job is being handled. */
  checkProgress(): void {
    if (this.#isHandling || this.#isClosed || performance.now() - this.#lastReadAtMs < stuckAfterMs) return;
    throw new Error(`hook consumer: the queue could not be read for ${stuckAfterMs} ms`);
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#running;
    this.#isClosed = true;
  }

  async #run(): Promise<void> {
    const { signal } = this.#closing;
    let finished: readonly StoredJob[] = [];
    for (let failures = 0; !signal.aborted; ) {
      try {
        // If this fails, `finished` keeps the jobs, and the next try removes them.
        const started = await this.#options.startNext(finished);
        finished = [];
        failures = 0;
        this.#lastReadAtMs = performance.now();
        if (started === null) await this.#options.enqueued.wait(idleMs, signal);
        else finished = await this.#handle(started);
      } catch (error) {
        failures += 1;
        this.#options.onWarning('the hook queue could not be read; trying again', { reason: describeError(error) });
        await systemClock.sleep(backoffMs(failures, retryBackoff), signal);
      }
    }
    if (finished.length > 0) await this.#remove(finished);
  }

  /** Returns the finished jobs: the started job and those coalesced with it, or none. Never rejects. */
  async #handle({ job, startCount, waiting }: StartedJob): Promise<readonly StoredJob[]> {
    const { signal } = this.#closing;
    if (signal.aborted) return [];
    const { job_id: jobId, partition } = job;
    const read = this.#parse(job);
    if (read === null) {
      await systemClock.sleep(backoffMs(startCount, newerVersionBackoff), signal);
      return [];
    }
    const { items, unreadable } = read;
    const waitingTexts = unreadable.length > 0 ? [] : waiting.map(({ body }) => body);
    const coalesced = coalesceItems(items.length, waitingTexts);
    const batch = { jobId, partition, items: [...items, ...coalesced.flat()], unreadable, startCount, signal };
    this.#isHandling = true;
    try {
      if (await this.#runHandler(batch)) {
        for (const done of [items, ...coalesced]) this.#options.onJobDone(done);
        return [job, ...waiting.slice(0, coalesced.length)];
      }
      await this.#options.waitUntilReady?.(signal);
    } finally {
      this.#isHandling = false;
      this.#lastReadAtMs = performance.now();
    }
    await systemClock.sleep(backoffMs(startCount, retryBackoff), signal);
    return [];
  }

  /** Runs the handler. Returns false if it released the batch or failed. */
  async #runHandler(batch: ConsumedBatch): Promise<boolean> {
    try {
      return (await this.#options.handle(batch)) === 'done';
    } catch (error) {
      this.#options.onWarning('hook job met an error; it is released and runs again', {
        jobId: batch.jobId,
        reason: describeError(error),
      });
      return false;
    }
  }

  /** Returns null for a job of a newer version. */
  #parse(job: StoredJob): ReadJob | null {
    try {
      return parseHookJob(job.body);
    } catch (error) {
      this.#options.onWarning('hook job waits for a newer version of the service: start that version', {
        jobId: job.job_id,
        reason: describeError(error),
      });
      return null;
    }
  }

  /** Never rejects. If the removal fails, the next consumer runs the jobs again, which has no further effect. */
  async #remove(finished: readonly StoredJob[]): Promise<void> {
    try {
      await this.#options.remove(finished);
    } catch (error) {
      this.#options.onWarning('finished hook jobs could not be removed; the next start runs them again', {
        jobId: finished[0]?.job_id,
        reason: describeError(error),
      });
    }
  }
}
