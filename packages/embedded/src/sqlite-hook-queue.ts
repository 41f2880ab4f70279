import type { StatementSync } from 'node:sqlite';
import { serializeHookJob } from '@widget-service/shared/ports/hook-job.ts';
import type {
  ConsumedBatch,
  ConsumeOutcome,
  HookBatch,
  HookConsumer,
  HookQueue,
  QueuePressure,
} from '@widget-service/shared/ports/hook-queue.ts';
import { Bell } from './bell.ts';
import type { Database } from './database.ts';
import { SqliteHookConsumer, type StoredJob } from './sqlite-hook-consumer.ts';

export type OnWarning = (message: string, details?: object) => void;

/** One partition, one consumer: the only process there is takes the jobs in their order of arrival. */
export class SqliteHookQueue implements HookQueue {
  readonly partitionCount = 1;
  readonly #db: Database;
  readonly #onWarning: OnWarning;
  readonly #enqueued = new Bell();
  readonly #insertJob: StatementSync;
  readonly #insertBody: StatementSync;
  readonly #countWaiting: StatementSync;
  readonly #selectFirst: StatementSync;
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
    this.#selectFirst = db.prepare('SELECT * FROM hook_jobs JOIN hook_job_bodies USING (seq) ORDER BY seq LIMIT 1');
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
    this.#enqueued.ring();
  }

  pressure(): Promise<QueuePressure> {
    return this.#db.read(() => {
      const stored = Number(this.#countWaiting.get()?.n);
      const waitingJobs = Math.max(0, stored - (this.#consumer?.isHandling ? 1 : 0));
      return { waitingJobs, memoryUsedRatio: null };
    });
  }

  async consume(handle: (batch: ConsumedBatch) => Promise<ConsumeOutcome>): Promise<HookConsumer> {
    if (this.#consumer !== null && !this.#consumer.isClosed) throw new Error('the hook queue has a consumer already');
    this.#consumer = new SqliteHookConsumer({
      handle,
      takeNext: (doneSeq) => this.#db.write(() => this.#takeNext(doneSeq)),
      remove: (seq) => this.#db.write(() => this.#remove(seq)),
      enqueued: this.#enqueued,
      onWarning: this.#onWarning,
    });
    this.#consumer.start();
    return this.#consumer;
  }

  async close(): Promise<void> {
    await this.#consumer?.close();
  }

  /** Removes the job that is done and counts the start of the next, in one transaction. */
  #takeNext(doneSeq: number | null): StoredJob | null {
    if (doneSeq !== null) this.#remove(doneSeq);
    const job = this.#selectFirst.get() as unknown as StoredJob | undefined;
    if (job === undefined) return null;
    this.#countStart.run(job.seq);
    return { ...job, starts: job.starts + 1 };
  }

  #remove(seq: number): void {
    this.#deleteJob.run(seq);
    this.#deleteBody.run(seq);
  }
}
