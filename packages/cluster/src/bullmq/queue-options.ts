import type { QueueOptions, WorkerOptions } from 'bullmq';
import type { Redis } from 'ioredis';

export interface WorkerTiming {
  /** How long a job's lock lasts after its last renewal. */
  readonly lockDurationMs: number;
  /**
   * How often BullMQ puts jobs with an expired lock back into their queue, and how often we maintain the queues and
   * read the partition counts again.
   */
  readonly stalledIntervalMs: number;
  /** How long an idle worker blocks in Redis before it asks for a job again. */
  readonly drainDelaySeconds: number;
}

/**
 * The jobs of a killed worker start again within `lockDurationMs` plus `stalledIntervalMs`: 8 s. With shorter times,
 * the jobs of a worker that only paused would start twice, which is safe but wastes work.
 */
export const defaultWorkerTiming: WorkerTiming = {
  lockDurationMs: 6_000,
  stalledIntervalMs: 2_000,
  drainDelaySeconds: 2,
};

/** Options of a queue that is only maintained. Its calls wait for Redis. */
export function maintenanceQueueOptions(connection: Redis, prefix: string): QueueOptions {
  return { connection, prefix, skipVersionCheck: true, skipMetasUpdate: true };
}

export function workerOptions(connection: Redis, prefix: string, timing: WorkerTiming): WorkerOptions {
  return {
    connection,
    prefix,
    skipVersionCheck: true,
    // `PartitionConsumer.maintain` starts the worker once the queue's global concurrency is set to 1.
    autorun: false,
    concurrency: 1,
    lockDuration: timing.lockDurationMs,
    stalledInterval: timing.stalledIntervalMs,
    drainDelay: timing.drainDelaySeconds,
    // In effect without limit: BullMQ marks a job failed when its lock has expired more often than this, and we never
    // treat a job as failed.
    maxStalledCount: 1_000_000,
    runRetryDelay: 1000,
  };
}
