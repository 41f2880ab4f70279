import { coalesceItems } from '@widget-service/shared/adapters/coalesce-jobs.ts';
import { parseHookJob, type ReadJob } from '@widget-service/shared/adapters/hook-job-codec.ts';
import type {
  ConsumedBatch,
  ConsumeOptions,
  ConsumeOutcome,
  HookConsumer,
} from '@widget-service/shared/ports/hook-queue.ts';
import { backoffMs } from '@widget-service/shared/runtime/backoff.ts';
import { systemClock } from '@widget-service/shared/runtime/clock.ts';
import type { Notifier } from './notifier.ts';

const idleMs = 1000;
const stuckAfterMs = 30_000;
const rejectedBackoff = { firstMs: 100, maxMs: 1000 };
/** A job of a newer version waits for a process of that version: nothing overtakes it. */
const newerVersionBackoff = { firstMs: 1000, maxMs: 20_000 };

/** A row of `hook_jobs` with its body. */
export interface StoredJob {
  readonly seq: number;
  readonly job_id: string;
  readonly partition: number;
  readonly starts: number;
  readonly body: string;
}

export interface SqliteHookConsumerOptions {
  readonly handle: (batch: ConsumedBatch) => Promise<ConsumeOutcome>;
  readonly waitUntilReady: ConsumeOptions['waitUntilReady'];
  /** Removes the jobs that are done and starts the first of the others; behind it come those that may go with it. */
  readonly takeNext: (done: readonly StoredJob[]) => Promise<StoredJob[]>;
  readonly remove: (done: readonly StoredJob[]) => Promise<void>;
  readonly enqueued: Notifier;
  readonly onWarning: (message: string, details?: object) => void;
}

/** Handles one job after the other. A job that is not done stays first in line. */
export class SqliteHookConsumer implements HookConsumer {
  readonly #options: SqliteHookConsumerOptions;
  readonly #closing = new AbortController();
  #running: Promise<void> = Promise.resolve();
  #isHandling = false;
  #isClosed = false;
  #askedAtMs = performance.now();

  constructor(options: SqliteHookConsumerOptions) {
    this.#options = options;
  }

  get isHandling(): boolean {
    return this.#isHandling;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  start(): void {
    this.#running = this.#run();
  }

  /** A job that is being handled may have to wait for long; otherwise the queue is asked all the time. */
  checkProgress(): void {
    if (this.#isHandling || this.#isClosed || performance.now() - this.#askedAtMs < stuckAfterMs) return;
    throw new Error(`hook consumer: no job could be asked for since ${stuckAfterMs} ms`);
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#running;
    this.#isClosed = true;
  }

  async #run(): Promise<void> {
    const { signal } = this.#closing;
    let done: readonly StoredJob[] = [];
    for (let failures = 0; !signal.aborted; ) {
      try {
        const [first, ...waiting] = await this.#options.takeNext(done);
        done = [];
        failures = 0;
        this.#askedAtMs = performance.now();
        if (first === undefined) await this.#options.enqueued.wait(idleMs, signal);
        else done = await this.#handle(first, waiting);
      } catch (error) {
        failures += 1;
        this.#options.onWarning('hook jobs cannot be taken', { reason: describeError(error) });
        await systemClock.sleep(backoffMs(failures, rejectedBackoff), signal);
      }
    }
    if (done.length > 0) await this.#remove(done);
  }

  /** Returns the jobs that are done: the first and those that went with it, or none. Never rejects. */
  async #handle(first: StoredJob, waiting: readonly StoredJob[]): Promise<readonly StoredJob[]> {
    const { signal } = this.#closing;
    if (signal.aborted) return [];
    const { job_id: jobId, partition, starts: startCount } = first;
    const job = this.#read(first);
    if (job === null) {
      await systemClock.sleep(backoffMs(startCount, newerVersionBackoff), signal);
      return [];
    }
    const { items, unreadable } = job;
    const texts = unreadable.length > 0 ? [] : waiting.map(({ body }) => body);
    const along = coalesceItems(items.length, texts);
    const batch = { jobId, partition, items: [...items, ...along.flat()], unreadable, startCount, signal };
    this.#isHandling = true;
    try {
      if (await this.#carryOut(batch)) return [first, ...waiting.slice(0, along.length)];
      await this.#options.waitUntilReady?.(signal);
    } finally {
      this.#isHandling = false;
      this.#askedAtMs = performance.now();
    }
    await systemClock.sleep(backoffMs(startCount, rejectedBackoff), signal);
    return [];
  }

  /** Whether the batch is done with. */
  async #carryOut(batch: ConsumedBatch): Promise<boolean> {
    try {
      return (await this.#options.handle(batch)) === 'done';
    } catch (error) {
      this.#options.onWarning('hook job failed', { jobId: batch.jobId, reason: describeError(error) });
      return false;
    }
  }

  /** Null for a job of a newer version. */
  #read(job: StoredJob): ReadJob | null {
    try {
      return parseHookJob(job.body);
    } catch (error) {
      this.#options.onWarning('hook job waits for a newer version', {
        jobId: job.job_id,
        reason: describeError(error),
      });
      return null;
    }
  }

  /** When this fails the jobs are run once more, which they can stand. */
  async #remove(done: readonly StoredJob[]): Promise<void> {
    try {
      await this.#options.remove(done);
    } catch (error) {
      this.#options.onWarning('hook jobs could not be removed', {
        jobId: done[0]?.job_id,
        reason: describeError(error),
      });
    }
  }
}

function describeError(error: unknown): string {
  if (error instanceof Error && 'internalMessage' in error && typeof error.internalMessage === 'string')
    return error.internalMessage;
  return error instanceof Error ? error.message : String(error);
}
