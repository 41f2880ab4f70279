import { serializeHookJob } from '@widget-service/shared/adapters/hook-job-codec.ts';
import { type ServiceError, UnavailableError } from '@widget-service/shared/domain/errors.ts';
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
import { withDeadline } from '@widget-service/shared/runtime/clock.ts';
import { Queue, QueueKeys, type QueueOptions } from 'bullmq';
import type { Redis } from 'ioredis';
import type { WorkerRedis } from '../redis/connections.ts';
import { queueName, type RedisKeys } from '../redis/keys.ts';
import { translateErrors } from '../redis/redis-call.ts';
import type { OnWarning } from '../redis/redis-failover.ts';
import { computeMemoryUsedRatio, isForbidden, parseMaxMemoryBytes } from '../redis/redis-info.ts';
import { RedisWaitingCounts } from '../redis/redis-waiting-counts.ts';
import { BullmqHookConsumer } from './bullmq-hook-consumer.ts';
import { type InspectedQueue, inspectQueues } from './inspect-queues.ts';
import type { PartitionCounts } from './partition-counts.ts';
import type { WorkerTiming } from './queue-options.ts';
import { ReplicaAcks } from './replica-acks.ts';

const deadlineMs = 2000;
/** How long `WAIT` waits for the replicas: below the deadline, so that the caller still learns the outcome. */
export const ackTimeoutMs = 1000;

export interface BullmqHookQueueOptions {
  /** A fail-fast connection that all queues share, so that one socket write sends all adds of an event-loop turn. */
  readonly redis: Redis;
  readonly keys: RedisKeys;
  readonly partitions: PartitionCounts;
  /** How many replicas must confirm a job before `enqueue` resolves. Null: one, as soon as Redis has had a replica. */
  readonly ackReplicas: number | null;
  /** How often to look for replicas. */
  readonly replicaLookIntervalMs?: number;
  readonly connectWorkers: () => WorkerRedis;
  readonly timing: WorkerTiming;
  readonly onNotice: OnWarning;
  readonly onWarning: OnWarning;
}

/** The hook queue on BullMQ: one queue per partition. Replicas of Redis confirm each job (`ReplicaAcks`). */
export class BullmqHookQueue implements HookQueue {
  readonly #options: BullmqHookQueueOptions;
  readonly #queues = new Map<string, Queue<string>>();
  readonly #consumers = new Set<BullmqHookConsumer>();
  readonly #refreshTimer: NodeJS.Timeout;
  readonly #waiting: RedisWaitingCounts;
  readonly #replicaAcks: ReplicaAcks;
  /** Counts the connections: a `WAIT` says nothing about writes on an earlier connection. */
  #connectionNumber = 0;
  #isSharingWrite = false;
  #sharedWait: Promise<number> | null = null;

  constructor(options: BullmqHookQueueOptions) {
    this.#options = options;
    this.#waiting = new RedisWaitingCounts(options.redis, options.keys);
    this.#replicaAcks = new ReplicaAcks({
      ...options,
      count: options.ackReplicas,
      lookIntervalMs: options.replicaLookIntervalMs ?? 10_000,
    });
    options.redis.on('close', () => {
      this.#connectionNumber += 1;
    });
    // Another process may have added a partition count. After a failure, the next refresh tries again.
    const refresh = () => void options.partitions.refresh().catch(() => undefined);
    this.#refreshTimer = setInterval(refresh, options.timing.stalledIntervalMs).unref();
  }

  get partitionCount(): number {
    return this.#options.partitions.newest;
  }

  async enqueue(job: HookJob): Promise<void> {
    this.#shareWrite();
    const add = translateErrors(this.#add(job), 'hook queue add');
    await withDeadline(add, deadlineMs, 'hook queue add').catch((error: ServiceError) => {
      throw this.#replicaAcks.explain(error);
    });
    this.#waiting.recordEnqueued(job.items);
  }

  async pressure(): Promise<QueuePressure> {
    return withDeadline(
      translateErrors(this.#readPressure(), 'hook queue pressure'),
      deadlineMs,
      'hook queue pressure',
    );
  }

  async inspect(): Promise<QueueState[]> {
    const { redis, keys } = this.#options;
    const isOwn = (queue: string, jobId: string) =>
      [...this.#consumers].some((consumer) => consumer.holds(queue, jobId));
    const states = inspectQueues({ redis, prefix: keys.queuePrefix, isOwn }, this.#listQueues());
    return withDeadline(translateErrors(states, 'hook queue inspect'), deadlineMs, 'hook queue inspect');
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

  /** Closes the consumers and queues. The caller closes the producers' connection. */
  async close(): Promise<void> {
    clearInterval(this.#refreshTimer);
    this.#replicaAcks.close();
    await Promise.all([...this.#consumers].map((consumer) => consumer.close()));
    await Promise.all([...this.#queues.values()].map((queue) => queue.close()));
  }

  async #add({ jobId, partition, items }: HookJob): Promise<void> {
    const connectionNumber = this.#connectionNumber;
    // The count is usually known. On a new connection, its query and the add are sent in the same turn.
    const [ackReplicas] = await Promise.all([
      this.#replicaAcks.findCount(),
      this.#openQueue(partition).add('hooks', serializeHookJob(items), { jobId }),
    ]);
    if (ackReplicas > 0) await this.#awaitReplicas(ackReplicas, connectionNumber);
  }

  async #awaitReplicas(ackReplicas: number, connectionNumber: number): Promise<void> {
    const confirmed = await this.#countConfirmations(ackReplicas);
    // A WAIT on a new connection does not cover the writes of the old one.
    if (connectionNumber !== this.#connectionNumber)
      throw new UnavailableError('hook queue add: the connection was replaced before the replicas confirmed the job');
    this.#replicaAcks.recordConfirmed(confirmed, ackReplicas);
  }

  /**
   * Sends one WAIT for all jobs of this event-loop turn, because Redis would run several WAITs one after the other. All
   * callers wait for the same number of replicas.
   */
  #countConfirmations(ackReplicas: number): Promise<number> {
    const { redis } = this.#options;
    this.#sharedWait ??= new Promise((resolve) => {
      setImmediate(() => {
        this.#sharedWait = null;
        resolve(redis.wait(ackReplicas, ackTimeoutMs));
      });
    });
    return this.#sharedWait;
  }

  async #readPressure(): Promise<QueuePressure> {
    const { redis, keys } = this.#options;
    const queueKeys = new QueueKeys(keys.queuePrefix);
    const names = this.#listQueues().map(({ name }) => name);
    const pipeline = redis.pipeline();
    for (const name of names) pipeline.llen(queueKeys.toKey(name, 'wait'));
    pipeline.info('memory');
    const jobLists = names.flatMap((name) => [queueKeys.toKey(name, 'wait'), queueKeys.toKey(name, 'active')]);
    const [replies, waitingByIntegration] = await Promise.all([
      pipeline.exec().then((results) => results ?? []),
      this.#waiting.read(jobLists),
    ]);
    const values = replies.map(([error, value]) => {
      // If INFO is forbidden, only the bound of memory is missing.
      if (isForbidden(error)) return '';
      if (error !== null) throw error;
      return value;
    });
    const waitingJobs = values.slice(0, names.length).reduce<number>((sum, length) => sum + Number(length), 0);
    const info = String(values[names.length]);
    const memoryLimitBytes = parseMaxMemoryBytes(info) || null;
    return { waitingJobs, memoryUsedRatio: computeMemoryUsedRatio(info), memoryLimitBytes, waitingByIntegration };
  }

  /** The queues of all partition counts, also of earlier ones, which may still hold jobs. */
  #listQueues(): InspectedQueue[] {
    return this.#options.partitions.all.flatMap((count) =>
      Array.from({ length: count }, (_, partition) => ({ name: queueName(count, partition), partition })),
    );
  }

  #openQueue(partition: number): Queue<string> {
    // The modulo selects an existing queue if the count has become lower since the caller chose the partition.
    const count = this.partitionCount;
    const name = queueName(count, partition % count);
    const opened = this.#queues.get(name);
    if (opened !== undefined) return opened;
    const { redis, keys } = this.#options;
    const queue = new Queue<string>(name, producerQueueOptions(redis, keys.queuePrefix));
    // Each failing call rejects by itself, and the shared connection reports the outage.
    queue.on('error', () => undefined);
    this.#queues.set(name, queue);
    return queue;
  }

  /** Corks the socket until the end of this event-loop turn: one write, and one fsync, for all adds of the turn. */
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

/** Options of a queue that only adds jobs. Its calls must never wait for Redis to become available. */
function producerQueueOptions(connection: Redis, prefix: string): QueueOptions {
  return {
    connection,
    prefix,
    // Without these two options, a queue that is created while Redis is unavailable blocks its first callers until
    // Redis is back.
    skipWaitingForReady: true,
    skipVersionCheck: true,
    // The consumers write the queue's meta.
    skipMetasUpdate: true,
    // Removes a finished job at once, so that its id can be used again. The ledger drops duplicates.
    defaultJobOptions: { removeOnComplete: true },
  };
}
