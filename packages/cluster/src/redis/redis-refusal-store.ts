import { createRefusalReader, serializeRefusal } from '@widget-service/shared/adapters/refusal-codec.ts';
import { type HookRefusal, type RefusalStore, refusalLimits } from '@widget-service/shared/ports/refusal-store.ts';
import type { ChainableCommander, Redis } from 'ioredis';
import type { RedisKeys } from './keys.ts';
import { runPipeline } from './redis-call.ts';
import type { OnWarning } from './targets.ts';

export interface RedisRefusalStoreOptions {
  /** For short calls. The caller closes it. */
  readonly redis: Redis;
  readonly keys: Pick<RedisKeys, 'refusals' | 'refusalsEnded'>;
  readonly onWarning?: OnWarning | undefined;
}

/**
 * A sorted set per integration: the texts of its refusals, by time. Redis orders equal times by the text. The same
 * refusal is the same member, so a command that ioredis sends twice adds it once.
 */
export function createRedisRefusalStore(options: RedisRefusalStoreOptions): RefusalStore {
  const refusals = createRefusalReader(options.onWarning);
  function addTo(pipeline: ChainableCommander, integrationId: string, refusals: readonly HookRefusal[]): void {
    const key = options.keys.refusals(integrationId);
    const { perIntegration, keepMs } = refusalLimits;
    const newestMs = Math.max(...refusals.map(({ refusedAt }) => refusedAt.getTime()));
    pipeline.zadd(
      key,
      ...refusals.flatMap((refusal) => [String(refusal.refusedAt.getTime()), serializeRefusal(refusal)]),
    );
    pipeline.zremrangebyrank(key, 0, -perIntegration - 1);
    pipeline.zremrangebyscore(key, '-inf', newestMs - keepMs);
    pipeline.pexpire(key, keepMs);
    // After the writes: whichever comes first, this or the end of the integration, one of them deletes what was added.
    pipeline.exists(options.keys.refusalsEnded(integrationId));
  }

  async function deleteRefusals(integrationIds: readonly string[], pipeline = options.redis.pipeline()): Promise<void> {
    await runPipeline(pipeline.del(...integrationIds.map(options.keys.refusals)), 'refusals delete');
  }

  return {
    add: async (refusals) => {
      const pipeline = options.redis.pipeline();
      const byIntegration = Map.groupBy(refusals, ({ integrationId }) => integrationId);
      for (const [integrationId, added] of byIntegration) addTo(pipeline, integrationId, added);
      const replies = await runPipeline(pipeline, 'refusals add');
      const each = replies.length / byIntegration.size;
      const ended = [...byIntegration.keys()].filter((_, index) => replies[(index + 1) * each - 1] === 1);
      if (ended.length > 0) await deleteRefusals(ended);
    },
    list: async (integrationId) => {
      const pipeline = options.redis.pipeline().zrange(options.keys.refusals(integrationId), '0', '-1', 'REV');
      const [texts] = (await runPipeline(pipeline, 'refusals list')) as [string[]];
      return refusals.readList(texts);
    },
    delete: async (integrationId) => {
      const ended = options.keys.refusalsEnded(integrationId);
      await deleteRefusals([integrationId], options.redis.pipeline().set(ended, '', 'PX', refusalLimits.keepMs));
    },
  };
}
