import {
  type ProcessStates,
  parseListedStreams,
  parseProcessState,
  processStateLimits,
  serializeProcessState,
} from '@widget-service/shared/ports/process-states.ts';
import type { Redis } from 'ioredis';
import type { RedisKeys } from './keys.ts';
import { runPipeline } from './redis-call.ts';

const { keptMs } = processStateLimits;
/** Ids are kept longer than states, so that clocks of processes may differ. */
const idKeptMs = 3_600_000;

/**
 * A hash per process, which expires: the field `state`, and a field with the listed streams of each subscription. A
 * sorted set has the ids of the processes, by the time of their last write. The age of a state follows from the time
 * to its expiry, so no clock is compared with another.
 * `redis` is for short calls. The caller closes it.
 */
export function createRedisProcessStates(redis: Redis, keys: RedisKeys): ProcessStates {
  /** The fields that this process may have written: also those of a write whose answer was lost. */
  const written = new Set<string>();

  return {
    write: async (state, streams) => {
      const key = keys.process(state.id);
      const fields = Object.fromEntries([...streams].map(([id, listed]) => [toField(id), JSON.stringify(listed)]));
      const gone = [...written].filter((field) => !Object.hasOwn(fields, field));
      for (const field of Object.keys(fields)) written.add(field);
      const nowMs = Date.now();
      const pipeline = redis
        .pipeline()
        .hset(key, { state: serializeProcessState(state), ...fields })
        .pexpire(key, keptMs)
        .zadd(keys.processes, nowMs, state.id)
        .zremrangebyscore(keys.processes, '-inf', String(nowMs - idKeptMs))
        .pexpire(keys.processes, idKeptMs);
      if (gone.length > 0) pipeline.hdel(key, ...gone);
      await runPipeline(pipeline, 'process states write');
      for (const field of gone) written.delete(field);
    },
    list: async (subscriptionId = '') => {
      const [ids] = (await runPipeline(redis.pipeline().zrange(keys.processes, '0', '-1'), 'process states list')) as [
        string[],
      ];
      const pipeline = redis.pipeline();
      for (const id of ids) pipeline.hmget(keys.process(id), 'state', toField(subscriptionId)).pttl(keys.process(id));
      const replies = ids.length === 0 ? [] : await runPipeline(pipeline, 'process states list');
      return ids.flatMap((_, index) => {
        const [text, listed] = replies[2 * index] as (string | null)[];
        const state = parseProcessState(text ?? '');
        if (state === null) return [];
        const remainingMs = replies[2 * index + 1] as number;
        return [{ state, ageMs: Math.max(0, keptMs - remainingMs), streams: parseListedStreams(listed ?? '[]') }];
      });
    },
    remove: async (id) => {
      await runPipeline(redis.pipeline().del(keys.process(id)).zrem(keys.processes, id), 'process states remove');
    },
  };
}

const toField = (subscriptionId: string): string => `streams:${subscriptionId}`;
