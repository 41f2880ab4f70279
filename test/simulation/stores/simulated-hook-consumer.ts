import { coalesceItems, coalesceLimits } from '@widget-service/shared/adapters/coalesce-jobs.ts';
import { parseHookJob, type ReadJob } from '@widget-service/shared/adapters/hook-job-codec.ts';
import type {
  ConsumedBatch,
  ConsumeOptions,
  ConsumeOutcome,
  HookConsumer,
} from '@widget-service/shared/ports/hook-queue.ts';
import { backoffMs } from '@widget-service/shared/runtime/backoff.ts';
import type { Clock } from '@widget-service/shared/runtime/clock.ts';
import {
  finishJob,
  handBack,
  lookAfter,
  removeWaiting,
  renewLock,
  type StoredJob,
  startJob,
  waitingJobs,
} from './job-queue.ts';
import type { Link } from './link.ts';
import { commandDeadlineMs, type MemoryServer } from './memory-server.ts';

const rejectedBackoff = { firstMs: 200, maxMs: 5_000 };
const newerVersionBackoff = { firstMs: 2_000, maxMs: 30_000 };
const blockMs = 5_000;

export interface SimulatedHookQueueOptions {
  readonly server: MemoryServer;
  readonly link: Link;
  readonly clock: Clock;
  /** Names a consumer, so that what it holds is told from what others hold. */
  readonly createToken: () => string;
  readonly lockDurationMs: number;
  readonly stalledIntervalMs: number;
  readonly onWarning: (message: string) => void;
}

interface SimulatedHookConsumerOptions extends SimulatedHookQueueOptions, ConsumeOptions {
  readonly handle: (batch: ConsumedBatch) => Promise<ConsumeOutcome>;
}

/** Does what BullMQ and our worker on it do: a lane per partition, a lock that is renewed, and a look after all now and then. */
export class SimulatedHookConsumer implements HookConsumer {
  readonly #options: SimulatedHookConsumerOptions;
  readonly #token: string;
  readonly #closing = new AbortController();
  readonly #running = new Set<AbortController>();
  #ended: Promise<unknown> = Promise.resolve();

  constructor(options: SimulatedHookConsumerOptions) {
    this.#options = options;
    this.#token = options.createToken();
  }

  start(): void {
    this.#ended = this.#run();
  }

  checkProgress(): void {
    // A lane asks for jobs without end, and nothing but the simulation itself could keep it from doing so.
  }

  async close(): Promise<void> {
    this.#closing.abort();
    for (const controller of this.#running) controller.abort();
    await this.#ended;
  }

  async #run(): Promise<void> {
    const { clock, stalledIntervalMs, server } = this.#options;
    const { signal } = this.#closing;
    while (!signal.aborted && !(await this.#lookAfter())) await clock.sleep(stalledIntervalMs, signal);
    const lanes = Array.from({ length: server.options.partitions }, (_, partition) => this.#runLane(partition));
    await Promise.all([...lanes, this.#lookAfterRegularly()]);
  }

  async #lookAfterRegularly(): Promise<void> {
    const { clock, stalledIntervalMs } = this.#options;
    const { signal } = this.#closing;
    for (;;) {
      await clock.sleep(stalledIntervalMs, signal);
      if (signal.aborted) return;
      await this.#lookAfter();
    }
  }

  async #lookAfter(): Promise<boolean> {
    const { server } = this.#options;
    return this.#command('look-after', () => {
      lookAfter(server.state.queue, server.nowMs);
      server.enqueued.ring();
      return true;
    });
  }

  async #runLane(partition: number): Promise<void> {
    const { server, link, clock, lockDurationMs } = this.#options;
    const { signal } = this.#closing;
    const options = { blockMs, deadlineMs: 2 * blockMs, bell: server.enqueued, signal };
    for (let startCount = 0; !signal.aborted; startCount += 1) {
      const token = `${this.#token}:${partition}:${startCount}`;
      const look = () => startJob(server.state.queue, partition, token, server.nowMs + lockDurationMs);
      try {
        const job = await link.block('take-job', options, look);
        if (job !== null) await this.#process(job, token);
      } catch {
        await clock.sleep(1_000, signal);
      }
    }
  }

  async #process(job: StoredJob, token: string): Promise<void> {
    const { server } = this.#options;
    const controller = new AbortController();
    const over = new AbortController();
    if (this.#closing.signal.aborted) controller.abort();
    this.#running.add(controller);
    void this.#keepLock(job.jobId, token, controller, over.signal);
    const outcome = await this.#handle(job, controller.signal);
    over.abort();
    this.#running.delete(controller);
    if (outcome === 'done') await this.#command('finish-job', () => finishJob(server.state.queue, job.jobId, token));
    else {
      await this.#command('release', () => {
        handBack(server.state.queue, job.jobId, token);
        return true;
      });
    }
    // A place in the partition is free, or the job is in front again.
    server.enqueued.ring();
    if (outcome === 'release') await this.#options.waitUntilReady?.(this.#closing.signal);
  }

  async #keepLock(jobId: string, token: string, controller: AbortController, over: AbortSignal): Promise<void> {
    const { server, clock, lockDurationMs } = this.#options;
    for (;;) {
      await clock.sleep(lockDurationMs / 2, over);
      if (over.aborted) return;
      const isLost = await this.#command('renew-lock', () => {
        const isMine = renewLock(server.state.queue, jobId, token, server.nowMs + lockDurationMs);
        return !isMine;
      });
      if (isLost) controller.abort();
    }
  }

  /** False when the server could not be reached. */
  async #command(name: string, onServer: () => boolean): Promise<boolean> {
    try {
      return await this.#options.link.call(name, commandDeadlineMs, (ask) => ask(onServer));
    } catch {
      return false;
    }
  }

  async #handle(job: StoredJob, signal: AbortSignal): Promise<ConsumeOutcome> {
    const { handle, clock, onWarning } = this.#options;
    const { jobId, partition, starts: startCount } = job;
    const read = this.#read(job);
    if (read === null) {
      await clock.sleep(backoffMs(startCount, newerVersionBackoff), signal);
      return 'release';
    }
    const { items, unreadable } = read;
    try {
      const along = await this.#takeAlong(job, read);
      const batch = { jobId, partition, items: [...items, ...along.items], unreadable, startCount, signal };
      const outcome = await handle(batch);
      if (outcome === 'done') await this.#removeTakenAlong(along.jobIds);
      return outcome;
    } catch {
      onWarning('hook job failed');
      await clock.sleep(backoffMs(startCount, rejectedBackoff), signal);
      return 'release';
    }
  }

  async #takeAlong({ partition, starts: startCount }: StoredJob, { items, unreadable }: ReadJob) {
    const { server, link, coalesce } = this.#options;
    if (!coalesce || startCount > coalesceLimits.maxStartCount || unreadable.length > 0)
      return { jobIds: [], items: [] };
    const waiting = await link.call('coalesce', commandDeadlineMs, (ask) =>
      ask(() => waitingJobs(server.state.queue, partition, coalesceLimits.jobs)),
    );
    const texts = waiting.map(({ text }) => text);
    const taken = coalesceItems(items.length, texts);
    return { jobIds: waiting.slice(0, taken.length).map(({ jobId }) => jobId), items: taken.flat() };
  }

  async #removeTakenAlong(jobIds: readonly string[]): Promise<void> {
    const { server, link } = this.#options;
    const remove = (jobId: string) =>
      link.call('remove-job', commandDeadlineMs, (ask) => ask(() => removeWaiting(server.state.queue, jobId)));
    await Promise.all(jobIds.map(remove));
  }

  /** Null for a job of a newer version. */
  #read({ text }: StoredJob): ReadJob | null {
    try {
      return parseHookJob(text);
    } catch {
      this.#options.onWarning('hook job waits for a newer version');
      return null;
    }
  }
}
