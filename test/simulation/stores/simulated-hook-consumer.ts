import {
  coalesceItems,
  coalesceLimits,
  parseHookJob,
  type ReadJob,
} from '@widget-service/shared/adapters/hook-job-codec.ts';
import type {
  ConsumedBatch,
  ConsumeOptions,
  ConsumeOutcome,
  HookConsumer,
} from '@widget-service/shared/ports/hook-queue.ts';
import { backoffMs, type Clock } from '@widget-service/shared/runtime/clock.ts';
import {
  finishJob,
  listWaitingJobs,
  maintainQueue,
  releaseJob,
  removeWaiting,
  renewLock,
  type StoredJob,
  startJob,
} from './job-queue.ts';
import type { Link } from './link.ts';
import { commandDeadlineMs, type MemoryServer } from './memory-server.ts';

const failureBackoff = { firstMs: 200, maxMs: 5_000 };
const newerVersionBackoff = { firstMs: 2_000, maxMs: 30_000 };
const blockMs = 5_000;

export interface SimulatedHookQueueOptions {
  readonly server: MemoryServer;
  readonly link: Link;
  readonly clock: Clock;
  /** Returns the lock token of a consumer. */
  readonly createToken: () => string;
  readonly lockDurationMs: number;
  readonly stalledIntervalMs: number;
  readonly onWarning: (message: string) => void;
}

interface SimulatedHookConsumerOptions extends SimulatedHookQueueOptions, ConsumeOptions {
  readonly handle: (batch: ConsumedBatch) => Promise<ConsumeOutcome>;
}

/** Does what BullMQ and the product's consumer do: a loop per partition, lock renewal, and regular maintenance. */
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

  /** Whether it chose this lock token. */
  owns(token: string): boolean {
    return token.startsWith(`${this.#token}:`);
  }

  checkProgress(): void {
    // Each partition asks for jobs without end: a simulated consumer cannot get stuck.
  }

  async close(): Promise<void> {
    this.#closing.abort();
    for (const controller of this.#running) controller.abort();
    await this.#ended;
  }

  async #run(): Promise<void> {
    const { clock, stalledIntervalMs, server } = this.#options;
    const { signal } = this.#closing;
    while (!signal.aborted && !(await this.#maintain())) await clock.sleep(stalledIntervalMs, signal);
    const loops = Array.from({ length: server.options.partitions }, (_, partition) => this.#runPartition(partition));
    await Promise.all([...loops, this.#maintainRegularly()]);
  }

  async #maintainRegularly(): Promise<void> {
    const { clock, stalledIntervalMs } = this.#options;
    const { signal } = this.#closing;
    for (;;) {
      await clock.sleep(stalledIntervalMs, signal);
      if (signal.aborted) return;
      await this.#maintain();
    }
  }

  async #maintain(): Promise<boolean> {
    const { server } = this.#options;
    return this.#command('maintain-queue', () => {
      maintainQueue(server.state.queue, server.nowMs);
      server.enqueued.notify();
      return true;
    });
  }

  async #runPartition(partition: number): Promise<void> {
    const { server, link, clock, lockDurationMs } = this.#options;
    const { signal } = this.#closing;
    const options = { blockMs, deadlineMs: 2 * blockMs, notifier: server.enqueued, signal };
    for (let startCount = 0; !signal.aborted; startCount += 1) {
      const token = `${this.#token}:${partition}:${startCount}`;
      const poll = () => startJob(server.state.queue, partition, token, server.nowMs + lockDurationMs);
      try {
        const job = await link.block('start-job', options, poll);
        if (job !== null) await this.#process(job, token);
      } catch {
        await clock.sleep(1_000, signal);
      }
    }
  }

  async #process(job: StoredJob, token: string): Promise<void> {
    const { server } = this.#options;
    const controller = new AbortController();
    const ended = new AbortController();
    if (this.#closing.signal.aborted) controller.abort();
    this.#running.add(controller);
    void this.#keepLock(job.jobId, token, controller, ended.signal);
    const outcome = await this.#handle(job, controller.signal);
    ended.abort();
    this.#running.delete(controller);
    if (outcome === 'done') await this.#command('finish-job', () => finishJob(server.state.queue, job.jobId, token));
    else {
      await this.#command('release', () => {
        releaseJob(server.state.queue, job.jobId, token);
        return true;
      });
    }
    // The partition is free, or the job is in front again.
    server.enqueued.notify();
    if (outcome === 'release') await this.#options.waitUntilReady?.(this.#closing.signal);
  }

  async #keepLock(jobId: string, token: string, controller: AbortController, ended: AbortSignal): Promise<void> {
    const { server, clock, lockDurationMs } = this.#options;
    for (;;) {
      await clock.sleep(lockDurationMs / 2, ended);
      if (ended.aborted) return;
      const isLost = await this.#command('renew-lock', () => {
        const isMine = renewLock(server.state.queue, jobId, token, server.nowMs + lockDurationMs);
        return !isMine;
      });
      if (isLost) controller.abort();
    }
  }

  /** Returns false if the server is unavailable. */
  async #command(name: string, onServer: () => boolean): Promise<boolean> {
    try {
      return await this.#options.link.call(name, commandDeadlineMs, (send) => send(onServer));
    } catch {
      return false;
    }
  }

  async #handle(job: StoredJob, signal: AbortSignal): Promise<ConsumeOutcome> {
    const { handle, clock, onWarning } = this.#options;
    const { jobId, partition, startCount } = job;
    const read = this.#read(job);
    if (read === null) {
      await clock.sleep(backoffMs(startCount, newerVersionBackoff), signal);
      return 'release';
    }
    const { items, unreadable } = read;
    try {
      const coalesced = await this.#coalesce(job, read);
      const batch = { jobId, partition, items: [...items, ...coalesced.items], unreadable, startCount, signal };
      const outcome = await handle(batch);
      if (outcome === 'done') await this.#removeCoalesced(coalesced.jobIds);
      return outcome;
    } catch {
      onWarning('hook job met an error');
      await clock.sleep(backoffMs(startCount, failureBackoff), signal);
      return 'release';
    }
  }

  async #coalesce({ partition, startCount }: StoredJob, { items, unreadable }: ReadJob) {
    const { server, link, coalesce } = this.#options;
    if (!coalesce || startCount > coalesceLimits.maxStartCount || unreadable.length > 0)
      return { jobIds: [], items: [] };
    const waiting = await link.call('coalesce', commandDeadlineMs, (send) =>
      send(() => listWaitingJobs(server.state.queue, partition, coalesceLimits.jobs)),
    );
    const texts = waiting.map(({ text }) => text);
    const fitting = coalesceItems(items.length, texts);
    return { jobIds: waiting.slice(0, fitting.length).map(({ jobId }) => jobId), items: fitting.flat() };
  }

  async #removeCoalesced(jobIds: readonly string[]): Promise<void> {
    const { server, link } = this.#options;
    const remove = (jobId: string) =>
      link.call('remove-job', commandDeadlineMs, (send) => send(() => removeWaiting(server.state.queue, jobId)));
    await Promise.all(jobIds.map(remove));
  }

  /** Returns null for a job of a newer version. */
  #read({ text }: StoredJob): ReadJob | null {
    try {
      return parseHookJob(text);
    } catch {
      this.#options.onWarning('hook job waits for a newer version');
      return null;
    }
  }
}
