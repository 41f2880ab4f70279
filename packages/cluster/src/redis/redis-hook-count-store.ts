import { type HookCountStore, hookCountLimits } from '@widget-service/shared/ports/hook-count-store.ts';
import type { Redis } from 'ioredis';
import type { RedisKeys } from './keys.ts';
import { runPipeline } from './redis-call.ts';

export interface RedisHookCountStoreOptions {
  /** For short calls. The caller closes it. */
  readonly redis: Redis;
  readonly keys: Pick<RedisKeys, 'hookCounts'>;
}

const kinds = ['accepted', 'refused'] as const;

/**
 * A hash per hour, with two fields per integration. ioredis may send a command twice after a lost connection: the
 * counts are approximate.
 */
export function createRedisHookCountStore({ redis, keys }: RedisHookCountStoreOptions): HookCountStore {
  const toKey = (hour: Date) => keys.hookCounts(hour.toISOString());

  return {
    add: async (counts) => {
      const pipeline = redis.pipeline();
      for (const { integrationId, hour, ...count } of counts) {
        const key = toKey(hour);
        for (const kind of kinds) if (count[kind] > 0) pipeline.hincrby(key, `${integrationId}:${kind}`, count[kind]);
      }
      for (const ms of new Set(counts.map(({ hour }) => hour.getTime()))) {
        pipeline.pexpire(toKey(new Date(ms)), hookCountLimits.keepMs);
      }
      await runPipeline(pipeline, 'hook counts add');
    },
    list: async (integrationIds, hours) => {
      if (integrationIds.length === 0) return [];
      const fields = integrationIds.flatMap((id) => kinds.map((kind) => `${id}:${kind}`));
      const pipeline = redis.pipeline();
      for (const hour of hours) pipeline.hmget(toKey(hour), ...fields);
      const replies = (await runPipeline(pipeline, 'hook counts list')) as (string | null)[][];
      return hours.flatMap((hour, at) =>
        integrationIds
          .map((integrationId, index) => ({
            integrationId,
            hour,
            accepted: Number(replies[at]?.[2 * index] ?? 0),
            refused: Number(replies[at]?.[2 * index + 1] ?? 0),
          }))
          .filter(({ accepted, refused }) => accepted + refused > 0),
      );
    },
  };
}
