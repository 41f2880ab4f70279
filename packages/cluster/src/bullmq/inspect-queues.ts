import type { QueueState } from '@widget-service/shared/ports/hook-queue.ts';
import { QueueKeys } from 'bullmq';
import type { ChainableCommander, Redis } from 'ioredis';

/** How many active jobs to read per queue. There is more than one only while a worker loses its lock. */
const activeMax = 4;

export interface InspectedQueue {
  readonly name: string;
  readonly partition: number;
}

export interface InspectDeps {
  readonly redis: Redis;
  /** The prefix of every BullMQ key. */
  readonly prefix: string;
  /** Whether a consumer of this process has started the job. */
  readonly isOwn: (queue: string, jobId: string) => boolean;
}

interface Lists extends InspectedQueue {
  readonly jobs: number;
  readonly oldestWaitingId: string | null;
  readonly activeIds: readonly string[];
}

/**
 * Reads the state of BullMQ queues in two round trips: the lists of waiting and active jobs, then the oldest jobs
 * themselves. In BullMQ, the waiting list ends with the oldest job, and a job's hash holds the time at which it was
 * added. The lock of an active job is a key that expires when its worker dies.
 */
export async function inspectQueues(
  { redis, prefix, isOwn }: InspectDeps,
  queues: readonly InspectedQueue[],
): Promise<QueueState[]> {
  const keys = new QueueKeys(prefix);
  const lists = await readLists(redis, keys, queues);
  const details = redis.pipeline();
  for (const { name, oldestWaitingId, activeIds } of lists) {
    if (oldestWaitingId !== null) details.hget(keys.toKey(name, oldestWaitingId), 'timestamp');
    for (const id of activeIds) details.hget(keys.toKey(name, id), 'timestamp').exists(`${keys.toKey(name, id)}:lock`);
  }
  const replies = await run(details);
  return lists.map(({ name, partition, jobs, oldestWaitingId, activeIds }) => {
    const timestamps = oldestWaitingId === null ? [] : [replies.shift()];
    let isActiveElsewhere = false;
    for (const id of activeIds) {
      const [timestamp, locks] = replies.splice(0, 2);
      timestamps.push(timestamp);
      isActiveElsewhere ||= locks === 1 && !isOwn(name, id);
    }
    // A job that was removed between the two reads has no time any more.
    return { queue: name, partition, jobs, oldestEnqueuedAt: findOldest(timestamps), isActiveElsewhere };
  });
}

async function readLists(redis: Redis, keys: QueueKeys, queues: readonly InspectedQueue[]): Promise<Lists[]> {
  const pipeline = redis.pipeline();
  for (const { name } of queues) {
    pipeline.llen(keys.toKey(name, 'wait')).lindex(keys.toKey(name, 'wait'), -1);
    pipeline.lrange(keys.toKey(name, 'active'), 0, activeMax - 1);
  }
  const replies = await run(pipeline);
  return queues.map((queue, index) => {
    const [waiting, oldestWaitingId, activeIds] = replies.slice(3 * index) as [number, string | null, string[]];
    return { ...queue, jobs: waiting + activeIds.length, oldestWaitingId, activeIds };
  });
}

async function run(pipeline: ChainableCommander): Promise<unknown[]> {
  const replies = (await pipeline.exec()) ?? [];
  return replies.map(([error, value]) => {
    if (error !== null) throw error;
    return value;
  });
}

function findOldest(timestamps: readonly unknown[]): Date | null {
  const times = timestamps.filter((timestamp) => timestamp !== null).map(Number);
  return times.length === 0 ? null : new Date(Math.min(...times));
}
