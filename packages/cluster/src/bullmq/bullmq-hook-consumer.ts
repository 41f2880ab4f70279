import { describeError } from '@widget-service/shared/domain/errors.ts';
import type { HookConsumer } from '@widget-service/shared/ports/hook-queue.ts';
import { systemClock, withDeadline } from '@widget-service/shared/runtime/clock.ts';
import { queueName } from '../redis/keys.ts';
import { PartitionConsumer, type PartitionConsumerOptions } from './partition-consumer.ts';
import type { PartitionCounts } from './partition-counts.ts';

export const consumerCloseWithinMs = 10_000;
const closePollMs = 100;
const stuckAfterMs = 30_000;
const maintenanceDeadlineMs = 3000;

export interface BullmqHookConsumerOptions extends PartitionConsumerOptions {
  readonly partitions: PartitionCounts;
}

/**
 * Consumes all partitions of the hook queue, with one `PartitionConsumer` each. It includes the partitions of earlier
 * values of `HOOK_PARTITIONS`, so that a change leaves no job behind. Every 2 s it repairs the queues
 * (`PartitionConsumer.maintain`).
 */
export class BullmqHookConsumer implements HookConsumer {
  readonly #options: BullmqHookConsumerOptions;
  readonly #partitionConsumers = new Map<string, PartitionConsumer>();
  readonly #stop = new AbortController();
  /**
   * Since when every maintenance has succeeded. Null: the last one failed, or was skipped because Redis was not ready.
   */
  #reachableSinceMs: number | null = null;
  #closing: Promise<void> | null = null;

  constructor(options: BullmqHookConsumerOptions) {
    this.#options = options;
  }

  start(): void {
    this.#openAll();
    // Redis may have lost its data, and with it the queues' global concurrency: sets it again at once.
    this.#options.redis.on('ready', () => void this.#maintainAll());
    void this.#maintainPeriodically();
  }

  checkProgress(): void {
    // Without Redis no consumer can make progress, and a restart of the process would not help.
    const now = performance.now();
    if (this.#reachableSinceMs === null || now - this.#reachableSinceMs < stuckAfterMs) return;
    for (const consumer of this.#partitionConsumers.values()) {
      if (!consumer.isRunning) throw new Error(`hook consumer: the consumer of queue ${consumer.name} has stopped`);
      if (!consumer.isBusy && now - consumer.activeAtMs > stuckAfterMs) {
        throw new Error(
          `hook consumer: the consumer of queue ${consumer.name} has not asked for a job for ${stuckAfterMs} ms`,
        );
      }
    }
  }

  /** Whether this consumer is processing the job. */
  holds(queue: string, jobId: string): boolean {
    return this.#partitionConsumers.get(queue)?.holds(jobId) ?? false;
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    this.#stop.abort();
    const closed = Promise.all([...this.#partitionConsumers.values()].map((consumer) => consumer.close()));
    const hasClosed = new AbortController();
    // While Redis is unavailable, BullMQ's close never ends. Jobs that still run then are started by another process
    // once their locks expire. The same holds for a close that fails.
    await Promise.race([closed.catch(() => undefined), this.#waitUntilCloseIsFutile(hasClosed.signal)]);
    hasClosed.abort();
    await Promise.all([...this.#partitionConsumers.values()].map((consumer) => consumer.abandon()));
    this.#options.redis.disconnectAll();
  }

  /**
   * Resolves after `consumerCloseWithinMs`, or once Redis is unavailable and no handler runs: without Redis no job can
   * be released or completed.
   */
  async #waitUntilCloseIsFutile(signal: AbortSignal): Promise<void> {
    const consumers = [...this.#partitionConsumers.values()];
    for (let waitedMs = 0; waitedMs < consumerCloseWithinMs && !signal.aborted; waitedMs += closePollMs) {
      if (this.#options.redis.status !== 'ready' && !consumers.some((consumer) => consumer.isBusy)) return;
      await systemClock.sleep(closePollMs, signal);
    }
  }

  async #maintainPeriodically(): Promise<void> {
    const { partitions, timing, onWarning } = this.#options;
    while (!this.#stop.signal.aborted) {
      await this.#maintainAll();
      await systemClock.sleep(timing.stalledIntervalMs, this.#stop.signal);
      if (this.#stop.signal.aborted) return;
      // Another process may have listed a new partition count.
      await partitions.refresh().catch((error) =>
        onWarning('the list of partition counts could not be read; keeping the last one and trying again', {
          reason: describeError(error),
        }),
      );
      this.#openAll();
    }
  }

  async #maintainAll(): Promise<void> {
    if (this.#stop.signal.aborted || this.#options.redis.status !== 'ready') {
      this.#reachableSinceMs = null;
      return;
    }
    try {
      const calls = [...this.#partitionConsumers.values()].map((consumer) => consumer.maintain());
      await withDeadline(Promise.all(calls), maintenanceDeadlineMs, 'hook consumer');
      this.#reachableSinceMs ??= performance.now();
    } catch (error) {
      this.#reachableSinceMs = null;
      if (this.#stop.signal.aborted) return;
      this.#options.onWarning('the hook queues could not be maintained; trying again. If this repeats, check Redis', {
        reason: describeError(error),
      });
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
    const consumer = new PartitionConsumer(this.#options, partitionCount, partition);
    this.#partitionConsumers.set(consumer.name, consumer);
  }
}
