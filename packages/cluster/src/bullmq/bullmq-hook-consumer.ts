import type {
  ConsumedBatch,
  ConsumeOptions,
  ConsumeOutcome,
  HookConsumer,
} from '@widget-service/shared/ports/hook-queue.ts';
import { systemClock } from '@widget-service/shared/runtime/clock.ts';
import { withDeadline } from '@widget-service/shared/runtime/deadline.ts';
import type { OnWarning, WorkerRedis } from '../redis/connections.ts';
import { queueName, type RedisKeys } from '../redis/keys.ts';
import { describeError } from '../redis/translate-error.ts';
import { PartitionConsumer } from './partition-consumer.ts';
import type { PartitionCounts } from './partition-counts.ts';
import type { WorkerTiming } from './queue-options.ts';

const closeWithinMs = 10_000;
const closePollMs = 100;
const stuckAfterMs = 30_000;
const answerWithinMs = 3000;

export interface BullmqHookConsumerOptions extends ConsumeOptions {
  /** This consumer's own: it is closed with it. */
  readonly redis: WorkerRedis;
  readonly keys: RedisKeys;
  readonly partitions: PartitionCounts;
  readonly timing: WorkerTiming;
  readonly onWarning: OnWarning;
  readonly handle: (batch: ConsumedBatch) => Promise<ConsumeOutcome>;
}

/** A worker for every queue there ever was. */
export class BullmqHookConsumer implements HookConsumer {
  readonly #options: BullmqHookConsumerOptions;
  readonly #partitionConsumers = new Map<string, PartitionConsumer>();
  readonly #stop = new AbortController();
  /** Since when Redis has answered every time it was asked; null while it does not. */
  #reachableSinceMs: number | null = null;
  #closing: Promise<void> | null = null;

  constructor(options: BullmqHookConsumerOptions) {
    this.#options = options;
  }

  start(): void {
    this.#openAll();
    this.#options.redis.on('ready', () => void this.#maintainAll());
    void this.#maintainPeriodically();
  }

  checkProgress(): void {
    const now = performance.now();
    if (this.#reachableSinceMs === null || now - this.#reachableSinceMs < stuckAfterMs) return;
    for (const lane of this.#partitionConsumers.values()) {
      if (!lane.isRunning) throw new Error(`hook consumer: the worker of ${lane.name} does not run`);
      if (!lane.isBusy && now - lane.activeAtMs > stuckAfterMs) {
        throw new Error(`hook consumer: the worker of ${lane.name} has not asked for a job for ${stuckAfterMs} ms`);
      }
    }
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    this.#stop.abort();
    const closed = Promise.all([...this.#partitionConsumers.values()].map((lane) => lane.close()));
    const hasEnded = new AbortController();
    // BullMQ waits without limit while Redis is away. What is still running then comes back when its lock has run out.
    await Promise.race([closed.catch(() => undefined), this.#untilNothingToWaitFor(hasEnded.signal)]);
    hasEnded.abort();
    await Promise.all([...this.#partitionConsumers.values()].map((lane) => lane.abandon()));
    this.#options.redis.disconnectAll();
  }

  /** Without Redis nothing can be handed back or marked done: then only the handlers are worth waiting for. */
  async #untilNothingToWaitFor(signal: AbortSignal): Promise<void> {
    const lanes = [...this.#partitionConsumers.values()];
    for (let waitedMs = 0; waitedMs < closeWithinMs && !signal.aborted; waitedMs += closePollMs) {
      if (this.#options.redis.status !== 'ready' && !lanes.some((lane) => lane.isBusy)) return;
      await systemClock.sleep(closePollMs, signal);
    }
  }

  async #maintainPeriodically(): Promise<void> {
    const { partitions, timing, onWarning } = this.#options;
    while (!this.#stop.signal.aborted) {
      await this.#maintainAll();
      await systemClock.sleep(timing.stalledIntervalMs, this.#stop.signal);
      if (this.#stop.signal.aborted) return;
      // Another process may have introduced another number of partitions.
      await partitions
        .refresh()
        .catch((error) => onWarning('partition list cannot be read', { reason: describeError(error) }));
      this.#openAll();
    }
  }

  async #maintainAll(): Promise<void> {
    if (this.#stop.signal.aborted || this.#options.redis.status !== 'ready') {
      this.#reachableSinceMs = null;
      return;
    }
    try {
      const calls = [...this.#partitionConsumers.values()].map((lane) => lane.maintain());
      await withDeadline(Promise.all(calls), answerWithinMs, 'hook consumer');
      this.#reachableSinceMs ??= performance.now();
    } catch (error) {
      this.#reachableSinceMs = null;
      if (!this.#stop.signal.aborted)
        this.#options.onWarning('hook queues cannot be looked after', { reason: describeError(error) });
    }
  }

  #openAll(): void {
    if (this.#stop.signal.aborted) return;
    for (const partitionCount of this.#options.partitions.all) {
      for (let partition = 0; partition < partitionCount; partition += 1) this.#open(partitionCount, partition);
    }
  }

  #open(partitionCount: number, partition: number): void {
    if (this.#partitionConsumers.has(queueName(partitionCount, partition))) return;
    const lane = new PartitionConsumer({ ...this.#options, partitionCount, partition });
    this.#partitionConsumers.set(lane.name, lane);
  }
}
