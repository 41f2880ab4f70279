import { coalesceLimits, isFull, serializeHookJob } from '@widget-service/shared/adapters/hook-job-codec.ts';
import type { OnWarning } from '@widget-service/shared/adapters/row-reader.ts';
import { WaitingTally } from '@widget-service/shared/domain/queue-item.ts';
import type {
  ConsumedBatch,
  ConsumeOptions,
  ConsumeOutcome,
  HookConsumer,
  HookJob,
  HookQueue,
  QueuePressure,
  QueueState,
} from '@widget-service/shared/ports/hook-queue.ts';
import type { Database } from './database.ts';
import { Notifier } from './notifier.ts';
import { SqliteHookConsumer, type StartedJob, type StoredJob } from './sqlite-hook-consumer.ts';
import { toDate } from './sqlite-values.ts';

/**
 * The hook queue in the SQLite file. It has one partition and at most one consumer, because this is the only process.
 * The consumer runs the jobs in their order of arrival.
 */
export class SqliteHookQueue implements HookQueue {
  readonly partitionCount = 1;
  readonly #db: Database;
  readonly #statements: ReturnType<typeof prepareStatements>;
  readonly #onWarning: OnWarning;
  readonly #now: () => Date;
  readonly #enqueued = new Notifier();
  /** Deliveries of jobs that this process has enqueued. */
  readonly #waiting = new WaitingTally();
  /** How many jobs of an earlier process are not done. They run first, and are not in `#waiting`. */
  #inheritedJobs: number;
  #consumer: SqliteHookConsumer | null = null;

  constructor(db: Database, { onWarning, now }: { readonly onWarning: OnWarning; readonly now: () => Date }) {
    this.#db = db;
    this.#statements = prepareStatements(db);
    this.#onWarning = onWarning;
    this.#now = now;
    this.#inheritedJobs = Number(this.#statements.countJobs.get()?.n);
  }

  async enqueue({ jobId, partition, items }: HookJob): Promise<void> {
    const body = serializeHookJob(items);
    const insert = () =>
      this.#statements.insertJob.run(jobId, partition, this.#now().getTime(), items.length, body).changes === 1;
    if (await this.#db.write(insert)) this.#waiting.add(items);
    this.#enqueued.notify();
  }

  pressure(): Promise<QueuePressure> {
    return this.#db.read(() => {
      const stored = Number(this.#statements.countJobs.get()?.n);
      // Approximate: jobs that are coalesced with the running one count as waiting until they are removed.
      const waitingJobs = Math.max(0, stored - (this.#consumer?.isHandling ? 1 : 0));
      if (stored === 0) {
        this.#inheritedJobs = 0;
        this.#waiting.drain();
      }
      const waitingByIntegration = new Map(this.#waiting.counts);
      return { waitingJobs, memoryUsedRatio: null, memoryLimitBytes: null, waitingByIntegration };
    });
  }

  inspect(): Promise<QueueState[]> {
    return this.#db.read(() => {
      const { n, oldest } = this.#statements.inspect.get() as { n: number; oldest: number | null };
      const oldestEnqueuedAt = toDate(oldest);
      return [{ queue: 'hook_jobs', partition: 0, jobs: n, oldestEnqueuedAt, isActiveElsewhere: false }];
    });
  }

  async consume(
    handle: (batch: ConsumedBatch) => Promise<ConsumeOutcome>,
    { coalesce, waitUntilReady }: ConsumeOptions = { coalesce: false },
  ): Promise<HookConsumer> {
    if (this.#consumer !== null && !this.#consumer.isClosed)
      throw new Error('the hook queue already has a consumer: close it first');
    this.#consumer = new SqliteHookConsumer({
      handle,
      waitUntilReady,
      startNext: (finished) =>
        this.#db.write(() => this.#startNext(finished, coalesce ? coalesceLimits.jobs : 1), { isSynced: false }),
      remove: (finished) => this.#db.write(() => this.#remove(finished), { isSynced: false }),
      enqueued: this.#enqueued,
      onJobDone: (items) => {
        if (this.#inheritedJobs > 0) this.#inheritedJobs -= 1;
        else this.#waiting.add(items, -1);
      },
      onWarning: this.#onWarning,
    });
    this.#consumer.start();
    return this.#consumer;
  }

  async close(): Promise<void> {
    await this.#consumer?.close();
  }

  /**
   * Removes the finished jobs, starts the oldest other job and returns it, in one transaction. Counts only its start,
   * not those of jobs that may be coalesced with it: after a crash, only the started job is suspected. From its third
   * start on, a job is returned alone, so that it cannot crash a batch with other jobs.
   */
  #startNext(finished: readonly StoredJob[], maxJobs: number): StartedJob | null {
    this.#remove(finished);
    const [job, ...others] = this.#readOldest(maxJobs);
    if (job === undefined) return null;
    const startCount = Number(this.#statements.countStart.get(job.seq)?.starts);
    return { job, startCount, waiting: startCount > coalesceLimits.maxStartCount ? [] : others };
  }

  /**
   * Returns at most `maxJobs` of the oldest jobs, and no more than can be coalesced, so that no body is read in vain.
   * The bytes of the first job count here, but not in `coalesceItems`: fewer jobs are coalesced with a large one.
   */
  #readOldest(maxJobs: number): StoredJob[] {
    const jobs: StoredJob[] = [];
    let items = 0;
    let bytes = 0;
    for (const row of this.#statements.selectOldest.iterate(maxJobs)) {
      const job = row as unknown as StoredJob;
      items += job.items;
      bytes += job.body.length;
      if (jobs.length > 0 && items > coalesceLimits.items) break;
      jobs.push(job);
      if (isFull(items, bytes)) break;
    }
    return jobs;
  }

  /** Removes the finished jobs, which are always the oldest ones of the queue. */
  #remove(finished: readonly StoredJob[]): void {
    const [first, last] = [finished[0], finished.at(-1)];
    if (first === undefined || last === undefined) return;
    this.#statements.deleteJobs.run(first.seq, last.seq);
    this.#statements.deleteStarts.run(first.seq, last.seq);
  }
}

function prepareStatements(db: Database) {
  return {
    insertJob: db.prepare(
      'INSERT INTO hook_jobs (job_id, partition, enqueued_at, items, body) VALUES (?, ?, ?, ?, ?) ' +
        'ON CONFLICT (job_id) DO NOTHING',
    ),
    // The oldest job is the one with the lowest `seq`: an index would cost every insert.
    inspect: db.prepare(
      'SELECT count(*) AS n, (SELECT enqueued_at FROM hook_jobs ORDER BY seq LIMIT 1) AS oldest FROM hook_jobs',
    ),
    countJobs: db.prepare('SELECT count(*) AS n FROM hook_jobs'),
    selectOldest: db.prepare('SELECT * FROM hook_jobs ORDER BY seq LIMIT ?'),
    countStart: db.prepare(
      'INSERT INTO hook_job_starts VALUES (?, 1) ON CONFLICT (seq) DO UPDATE SET starts = starts + 1 RETURNING starts',
    ),
    deleteJobs: db.prepare('DELETE FROM hook_jobs WHERE seq BETWEEN ? AND ?'),
    deleteStarts: db.prepare('DELETE FROM hook_job_starts WHERE seq BETWEEN ? AND ?'),
  };
}
