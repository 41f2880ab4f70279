import { type RowKind, RowReader } from '@widget-service/shared/adapters/row-reader.ts';
import { hookCountsShape } from '@widget-service/shared/adapters/row-shapes.ts';
import type { ListedRow } from '@widget-service/shared/domain/page.ts';
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

const countRows: RowKind<HookCounts, HookCounts> = {
  of: 'hook-counts',
  identify: ({ hour, integrationId }) => `${hour.toISOString()} ${integrationId}`,
  convert: (counts) => counts,
  shape: hookCountsShape,
};

/**
 * Stores the hook counts in one hash per hour, with two fields per integration. The counts are approximate: ioredis may
 * send a command twice after a lost connection.
 */
export class RedisHookCountStore implements HookCountStore {
  readonly #redis: Redis;
  readonly #keys: RedisKeys;
  readonly #rows: RowReader<HookCounts, HookCounts>;

  constructor(redis: Redis, keys: RedisKeys, onWarning: OnWarning) {
    this.#redis = redis;
    this.#keys = keys;
    this.#rows = new RowReader(countRows, onWarning);
  }

  async add(counts: readonly HookCounts[]): Promise<void> {
    const pipeline = this.#redis.pipeline();
    for (const { integrationId, hour, ...count } of counts) {
      const key = this.#toKey(hour);
      for (const kind of kinds) if (count[kind] > 0) pipeline.hincrby(key, `${integrationId}:${kind}`, count[kind]);
    }
    const keys = new Set(counts.map(({ hour }) => this.#toKey(hour)));
    for (const key of keys) pipeline.pexpire(key, hookCountLimits.keepMs);
    await runPipeline(pipeline, 'hook counts add');
  }

  async list(integrationIds: readonly string[], hours: readonly Date[]): Promise<ListedRow<HookCounts>[]> {
    if (integrationIds.length === 0) return [];
    const fields = integrationIds.flatMap((id) => kinds.map((kind) => `${id}:${kind}`));
    const pipeline = this.#redis.pipeline();
    for (const hour of hours) pipeline.hmget(this.#toKey(hour), ...fields);
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
    return this.#rows.readList(counts);
  }

  #toKey(hour: Date): string {
    return this.#keys.hookCounts(hour.toISOString());
  }
}
