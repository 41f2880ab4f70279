import type { QueueState } from '@widget-service/shared/ports/hook-queue.ts';
import { QueueKeys } from 'bullmq';
import type { ChainableCommander, Redis } from 'ioredis';

/** How many jobs of a queue are active at most. More than one only while a worker loses its lock. */
const activeMax = 4;

/**
 * Reads the state of BullMQ queues in two round trips. BullMQ's waiting list ends with the oldest job, its active list
 * holds the started ones, and each job's hash has the time in milliseconds at which it was added.
 */
export async function inspectQueues(redis: Redis, prefix: string, names: readonly string[]): Promise<QueueState[]> {
  const keys = new QueueKeys(prefix);
  const lists = redis.pipeline();
  for (const name of names) {
    lists.llen(keys.toKey(name, 'wait')).lindex(keys.toKey(name, 'wait'), -1);
    lists.lrange(keys.toKey(name, 'active'), 0, activeMax - 1);
  }
  const replies = await run(lists);
  const queues = names.map((name, index) => {
    const [waiting, oldestId, activeIds] = replies.slice(3 * index) as [number, string | null, string[]];
    return { name, jobs: waiting + activeIds.length, ids: oldestId === null ? activeIds : [oldestId, ...activeIds] };
  });
  const times = redis.pipeline();
  for (const { name, ids } of queues) for (const id of ids) times.hget(keys.toKey(name, id), 'timestamp');
  const timestamps = (await run(times)) as (string | null)[];
  return queues.map(({ name, jobs, ids }) => ({
    queue: name,
    jobs,
    // A job that was removed between the two reads has no time any more.
    oldestEnqueuedAt: findOldest(timestamps.splice(0, ids.length)),
  }));
}

async function run(pipeline: ChainableCommander): Promise<unknown[]> {
  const replies = (await pipeline.exec()) ?? [];
  return replies.map(([error, value]) => {
    if (error !== null) throw error;
    return value;
  });
}

function findOldest(timestamps: readonly (string | null)[]): Date | null {
  const times = timestamps.filter((timestamp) => timestamp !== null).map(Number);
  return times.length === 0 ? null : new Date(Math.min(...times));
}
