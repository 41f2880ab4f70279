import type { StatementSync } from 'node:sqlite';
import { coalesceLimits } from '@widget-service/shared/adapters/coalesce-jobs.ts';
import { serializeHookJob } from '@widget-service/shared/adapters/hook-job-codec.ts';
import type {
  ConsumedBatch,
  ConsumeOptions,
  ConsumeOutcome,
  HookBatch,
  HookConsumer,
  HookQueue,
  QueuePressure,
} from '@widget-service/shared/ports/hook-queue.ts';
import type { Database } from './database.ts';
import { Notifier } from './notifier.ts';
import { SqliteHookConsumer, type StoredJob } from './sqlite-hook-consumer.ts';

type OnWarning = (message: string, details?: object) => void;

/** One partition, one consumer: the only process there is takes the jobs in their order of arrival. */
export class SqliteHookQueue implements HookQueue {
  readonly partitionCount = 1;
  readonly #db: Database;
  readonly #onWarning: OnWarning;
  readonly #enqueued = new Notifier();
  readonly #insertJob: StatementSync;
  readonly #insertBody: StatementSync;
  readonly #countWaiting: StatementSync;
  readonly #selectNext: StatementSync;
  readonly #countStart: StatementSync;
  readonly #deleteJob: StatementSync;
  readonly #deleteBody: StatementSync;
  #consumer: SqliteHookConsumer | null = null;

  constructor(db: Database, onWarning: OnWarning) {
    this.#db = db;
    this.#onWarning = onWarning;
    this.#insertJob = db.prepare(
      'INSERT INTO hook_jobs (job_id, partition, starts) VALUES (?, ?, 0) ON CONFLICT (job_id) DO NOTHING',
    );
    this.#insertBody = db.prepare('INSERT INTO hook_job_bodies (seq, body) VALUES (?, ?)');
    this.#countWaiting = db.prepare('SELECT count(*) AS n FROM hook_jobs');
    this.#selectNext = db.prepare('SELECT * FROM hook_jobs JOIN hook_job_bodies USING (seq) ORDER BY seq LIMIT ?');
    this.#countStart = db.prepare('UPDATE hook_jobs SET starts = starts + 1 WHERE seq = ?');
    this.#deleteJob = db.prepare('DELETE FROM hook_jobs WHERE seq = ?');
    this.#deleteBody = db.prepare('DELETE FROM hook_job_bodies WHERE seq = ?');
  }

  async enqueue({ jobId, partition, items }: HookBatch): Promise<void> {
    const body = serializeHookJob(items);
    await this.#db.write(() => {
      const { changes, lastInsertRowid } = this.#insertJob.run(jobId, partition);
      if (changes === 1) this.#insertBody.run(lastInsertRowid, body);
    });
    this.#enqueued.notify();
  }

  pressure(): Promise<QueuePressure> {
    return this.#db.read(() => {
      const stored = Number(this.#countWaiting.get()?.n);
      const waitingJobs = Math.max(0, stored - (this.#consumer?.isHandling ? 1 : 0));
      return { waitingJobs, memoryUsedRatio: null };
    });
  }

  async consume(
    handle: (batch: ConsumedBatch) => Promise<ConsumeOutcome>,
    { coalesce, waitUntilReady }: ConsumeOptions = { coalesce: false },
  ): Promise<HookConsumer> {
    if (this.#consumer !== null && !this.#consumer.isClosed) throw new Error('the hook queue has a consumer already');
    this.#consumer = new SqliteHookConsumer({
      handle,
      waitUntilReady,
      takeNext: (done) => this.#db.write(() => this.#takeNext(done, coalesce ? coalesceLimits.jobs : 1)),
      remove: (done) => this.#db.write(() => this.#remove(done)),
      enqueued: this.#enqueued,
      onWarning: this.#onWarning,
    });
    this.#consumer.start();
    return this.#consumer;
  }

  async close(): Promise<void> {
    await this.#consumer?.close();
  }

  /** Removes the jobs that are done and counts the start of the next, in one transaction. */
  #takeNext(done: readonly StoredJob[], atMost: number): StoredJob[] {
    this.#remove(done);
    const [first, ...others] = this.#nextInLine(atMost);
    if (first === undefined) return [];
    this.#countStart.run(first.seq);
    const started = { ...first, starts: first.starts + 1 };
    return started.starts > coalesceLimits.maxStartCount ? [started] : [started, ...others];
  }

  /** As many as one run could take: large bodies are not read for nothing. */
  #nextInLine(atMost: number): StoredJob[] {
    const jobs: StoredJob[] = [];
    let bytes = 0;
    for (const row of this.#selectNext.iterate(atMost)) {
      const job = row as unknown as StoredJob;
      jobs.push(job);
      bytes += job.body.length;
      if (bytes > coalesceLimits.bytes) break;
    }
    return jobs;
  }

  #remove(done: readonly StoredJob[]): void {
    for (const { seq } of done) {
      this.#deleteJob.run(seq);
      this.#deleteBody.run(seq);
    }
  }
}
