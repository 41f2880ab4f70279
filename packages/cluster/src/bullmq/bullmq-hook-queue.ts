import { serializeHookJob } from '@widget-service/shared/adapters/hook-job-codec.ts';
import { UnavailableError } from '@widget-service/shared/domain/errors.ts';
import type {
  ConsumedBatch,
  ConsumeOptions,
  ConsumeOutcome,
  HookBatch,
  HookConsumer,
  HookQueue,
  QueuePressure,
} from '@widget-service/shared/ports/hook-queue.ts';
import { withDeadline } from '@widget-service/shared/runtime/deadline.ts';
import { Queue } from 'bullmq';
import type { Redis } from 'ioredis';
import type { OnWarning, WorkerRedis } from '../redis/connections.ts';
import { queueName, type RedisKeys } from '../redis/keys.ts';
import { memoryUsedRatio } from '../redis/redis-info.ts';
import { translateErrors } from '../redis/translate-error.ts';
import { BullmqHookConsumer } from './bullmq-hook-consumer.ts';
import type { PartitionCounts } from './partition-counts.ts';
import { producerQueueOptions, type WorkerTiming } from './queue-options.ts';

const deadlineMs = 2000;
/** How long a write may take to reach the replicas: below the deadline, so that its outcome is still told. */
const ackTimeoutMs = 1000;

export interface BullmqHookQueueOptions {
  /** Fails fast; shared by all queues, so that what is added in one turn goes out together. */
  readonly redis: Redis;
  readonly keys: RedisKeys;
  readonly partitions: PartitionCounts;
  /** How many replicas must have a batch before it counts as durable. */
  readonly ackReplicas: number;
  readonly connectWorkers: () => WorkerRedis;
  readonly timing: WorkerTiming;
  readonly onWarning: OnWarning;
}

export class BullmqHookQueue implements HookQueue {
  readonly #options: BullmqHookQueueOptions;
  readonly #queues = new Map<string, Queue<string>>();
  readonly #consumers = new Set<HookConsumer>();
  readonly #refreshTimer: NodeJS.Timeout;
  /** Counts the connections: replicas that confirm on another one say nothing about what this one wrote. */
  #generation = 0;
  #isSharingWrite = false;
  #sharedWait: Promise<number> | null = null;

  constructor(options: BullmqHookQueueOptions) {
    this.#options = options;
    options.redis.on('close', () => {
      this.#generation += 1;
    });
    const refresh = () => void options.partitions.refresh().catch(() => undefined);
    this.#refreshTimer = setInterval(refresh, options.timing.stalledIntervalMs).unref();
  }

  get partitionCount(): number {
    return this.#options.partitions.newest;
  }

  async enqueue(batch: HookBatch): Promise<void> {
    this.#shareWrite();
    await withDeadline(translateErrors(this.#add(batch), 'hook queue add'), deadlineMs, 'hook queue add');
  }

  async pressure(): Promise<QueuePressure> {
    return withDeadline(translateErrors(this.#askPressure(), 'hook queue pressure'), deadlineMs, 'hook queue pressure');
  }

  async consume(
    handle: (batch: ConsumedBatch) => Promise<ConsumeOutcome>,
    options: ConsumeOptions = { coalesce: false },
  ): Promise<HookConsumer> {
    const { keys, partitions, connectWorkers, timing, onWarning } = this.#options;
    const redis = connectWorkers();
    const consumer = new BullmqHookConsumer({ ...options, redis, keys, partitions, timing, onWarning, handle });
    this.#consumers.add(consumer);
    consumer.start();
    return consumer;
  }

  /** Closes what was left open; the producers' connection belongs to whoever opened it. */
  async close(): Promise<void> {
    clearInterval(this.#refreshTimer);
    await Promise.all([...this.#consumers].map((consumer) => consumer.close()));
    await Promise.all([...this.#queues.values()].map((queue) => queue.close()));
  }

  async #add({ jobId, partition, items }: HookBatch): Promise<void> {
    const generation = this.#generation;
    await this.#queueOf(partition).add('hooks', serializeHookJob(items), { jobId });
    if (this.#options.ackReplicas > 0) await this.#awaitReplicas(generation);
  }

  async #awaitReplicas(generation: number): Promise<void> {
    const { ackReplicas } = this.#options;
    const confirmed = await this.#confirmations();
    // Asked on a new connection, WAIT counts replicas that need not have what was written on the old one.
    if (generation !== this.#generation || confirmed < ackReplicas) {
      throw new UnavailableError(`hook queue add: ${confirmed} of ${ackReplicas} replicas confirmed`);
    }
  }

  /** One WAIT for everything that was stored in this turn: one after the other they would add up their time. */
  #confirmations(): Promise<number> {
    const { redis, ackReplicas } = this.#options;
    this.#sharedWait ??= new Promise((resolve) => {
      setImmediate(() => {
        this.#sharedWait = null;
        resolve(redis.wait(ackReplicas, ackTimeoutMs));
      });
    });
    return this.#sharedWait;
  }

  async #askPressure(): Promise<QueuePressure> {
    const pipeline = this.#options.redis.pipeline();
    const count = this.partitionCount;
    for (let partition = 0; partition < count; partition += 1) pipeline.llen(this.#queueOf(partition).keys.wait ?? '');
    pipeline.info('memory');
    const replies = (await pipeline.exec()) ?? [];
    const values = replies.map(([error, value]) => {
      if (error !== null) throw error;
      return value;
    });
    const waitingJobs = values.slice(0, count).reduce<number>((sum, length) => sum + Number(length), 0);
    return { waitingJobs, memoryUsedRatio: memoryUsedRatio(String(values[count])) };
  }

  #queueOf(partition: number): Queue<string> {
    // A number taken from a list that has been replaced meanwhile must still lead to a queue that is consumed.
    const count = this.partitionCount;
    const name = queueName(count, partition % count);
    const known = this.#queues.get(name);
    if (known !== undefined) return known;
    const { redis, keys } = this.#options;
    const queue = new Queue<string>(name, producerQueueOptions(redis, keys.queuePrefix));
    // The calls fail by themselves, and the connection reports that it is away.
    queue.on('error', () => undefined);
    this.#queues.set(name, queue);
    return queue;
  }

  /** Holds the socket back until the end of this turn of the event loop: one write, and one fsync, for all adds in it. */
  #shareWrite(): void {
    const { stream } = this.#options.redis;
    if (this.#isSharingWrite || stream === undefined || stream.destroyed) return;
    this.#isSharingWrite = true;
    stream.cork();
    setImmediate(() => {
      this.#isSharingWrite = false;
      stream.uncork();
    });
  }
}
