import { createRowReader } from '@widget-service/shared/adapters/row-reader.ts';
import { hookCountsShape } from '@widget-service/shared/adapters/row-shapes.ts';
import {
  type HookCountStore,
  type HookCounts,
  hookCountLimits,
} from '@widget-service/shared/ports/hook-count-store.ts';
import type { Redis } from 'ioredis';
import type { RedisKeys } from './keys.ts';
import { runPipeline } from './redis-call.ts';
import type { OnWarning } from './redis-failover.ts';

const kinds = ['accepted', 'refused'] as const;

/**
 * Stores the hook counts in one hash per hour, with two fields per integration. The counts are approximate: ioredis may
 * send a command twice after a lost connection.
 */
export function createRedisHookCountStore(redis: Redis, keys: RedisKeys, onWarning: OnWarning): HookCountStore {
  const rows = createRowReader({
    of: 'hook-counts',
    identify: ({ hour, integrationId }: HookCounts) => `${hour.toISOString()} ${integrationId}`,
    convert: (counts) => counts,
    shape: hookCountsShape,
    onWarning,
  });
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
      const counts = hours.flatMap((hour, at) =>
        integrationIds
          .map((integrationId, index) => ({
            integrationId,
            hour,
            accepted: Number(replies[at]?.[2 * index] ?? 0),
            refused: Number(replies[at]?.[2 * index + 1] ?? 0),
          }))
          .filter(({ accepted, refused }) => accepted !== 0 || refused !== 0),
      );
      return rows.readList(counts);
    },
  };
}
