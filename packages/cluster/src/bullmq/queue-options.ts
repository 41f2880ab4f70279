import type { QueueOptions, WorkerOptions } from 'bullmq';
import type { Redis } from 'ioredis';

export interface WorkerTiming {
  /** How long a job stays its consumer's without a renewal. */
  readonly lockDurationMs: number;
  /** How often jobs whose lock has run out are put back, and the queues are looked after. */
  readonly stalledIntervalMs: number;
  /** How long an idle consumer waits at Redis before it asks again. */
  readonly drainDelaySeconds: number;
}

/**
 * What a killed worker had in hand is begun anew after their sum at most. Shorter ones would give the jobs of workers
 * that merely stand still to others as well, which is safe but done twice.
 */
export const defaultWorkerTiming: WorkerTiming = {
  lockDurationMs: 6_000,
  stalledIntervalMs: 2_000,
  drainDelaySeconds: 2,
};

/** For the side that adds, which must never wait for Redis to come. */
export function producerQueueOptions(connection: Redis, prefix: string): QueueOptions {
  return {
    connection,
    prefix,
    // Without these two, a queue made while Redis is away keeps its first callers waiting until it is back.
    skipWaitingForReady: true,
    skipVersionCheck: true,
    // Consumers write what is to be known about a queue.
    skipMetasUpdate: true,
    // A finished job goes at once: its id is free again, and its hooks live on in the ledger.
    defaultJobOptions: { removeOnComplete: true },
  };
}

/** For the side that looks after a queue: it waits for Redis. */
export function maintenanceQueueOptions(connection: Redis, prefix: string): QueueOptions {
  return { connection, prefix, skipVersionCheck: true, skipMetasUpdate: true };
}

export function workerOptions(connection: Redis, prefix: string, timing: WorkerTiming): WorkerOptions {
  return {
    connection,
    prefix,
    skipVersionCheck: true,
    // Started by hand, once the queue is known to hand out one job at a time.
    autorun: false,
    concurrency: 1,
    lockDuration: timing.lockDurationMs,
    stalledInterval: timing.stalledIntervalMs,
    drainDelay: timing.drainDelaySeconds,
    // BullMQ gives a job up after so many lost consumers. Here a job is only ever given up item by item, by its runs.
    maxStalledCount: 1_000_000,
    runRetryDelay: 1000,
  };
}
