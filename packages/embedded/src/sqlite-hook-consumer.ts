import { parseHookJob } from '@widget-service/shared/ports/hook-job.ts';
import type { ConsumedBatch, ConsumeOutcome, HookConsumer } from '@widget-service/shared/ports/hook-queue.ts';
import { backoffMs } from '@widget-service/shared/runtime/backoff.ts';
import { systemClock } from '@widget-service/shared/runtime/clock.ts';
import type { Bell } from './bell.ts';

const idleMs = 1000;
const stuckAfterMs = 30_000;
const rejectedBackoff = { firstMs: 100, maxMs: 1000 };
/** A job that this version cannot read waits for one that can: nothing overtakes it. */
const unreadableBackoff = { firstMs: 1000, maxMs: 20_000 };

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
  /** Removes the job that is done and starts the first of the others. */
  readonly takeNext: (doneSeq: number | null) => Promise<StoredJob | null>;
  readonly remove: (seq: number) => Promise<void>;
  readonly enqueued: Bell;
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
    let done: StoredJob | null = null;
    for (let failures = 0; !signal.aborted; ) {
      try {
        const job: StoredJob | null = await this.#options.takeNext(done?.seq ?? null);
        done = null;
        failures = 0;
        this.#askedAtMs = performance.now();
        if (job === null) await this.#options.enqueued.wait(idleMs, signal);
        else if (await this.#isDone(job)) done = job;
      } catch (error) {
        failures += 1;
        this.#options.onWarning('hook jobs cannot be taken', { reason: reasonOf(error) });
        await systemClock.sleep(backoffMs(failures, rejectedBackoff), signal);
      }
    }
    if (done !== null) await this.#remove(done);
  }

  /** Never rejects. */
  async #isDone(job: StoredJob): Promise<boolean> {
    const { signal } = this.#closing;
    if (signal.aborted) return false;
    const { job_id: jobId, partition, starts } = job;
    let items: ConsumedBatch['items'];
    try {
      items = parseHookJob(job.body);
    } catch (error) {
      this.#options.onWarning('hook job cannot be read', { jobId, reason: reasonOf(error) });
      await systemClock.sleep(backoffMs(starts, unreadableBackoff), signal);
      return false;
    }
    this.#isHandling = true;
    try {
      if ((await this.#options.handle({ jobId, partition, items, starts, signal })) === 'done') return true;
    } catch (error) {
      this.#options.onWarning('hook job failed', { jobId, reason: reasonOf(error) });
    } finally {
      this.#isHandling = false;
      this.#askedAtMs = performance.now();
    }
    await systemClock.sleep(backoffMs(starts, rejectedBackoff), signal);
    return false;
  }

  /** When this fails the job is run once more, which it can stand. */
  async #remove(job: StoredJob): Promise<void> {
    try {
      await this.#options.remove(job.seq);
    } catch (error) {
      this.#options.onWarning('hook job could not be removed', { jobId: job.job_id, reason: reasonOf(error) });
    }
  }
}

function reasonOf(error: unknown): string {
  if (error instanceof Error && 'internal' in error && typeof error.internal === 'string') return error.internal;
  return error instanceof Error ? error.message : String(error);
}
