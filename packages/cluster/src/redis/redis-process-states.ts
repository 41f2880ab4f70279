import {
  type ProcessState,
  type ProcessStates,
  parseListedStreams,
  parseProcessState,
  processStateLimits,
  type ReadState,
  type StreamsBySubscription,
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
 */
export class RedisProcessStates implements ProcessStates {
  readonly #redis: Redis;
  readonly #keys: RedisKeys;
  /** The fields that this process may have written: also those of a write whose answer was lost. */
  readonly #written = new Set<string>();

  /** `redis` is for short calls. The caller closes it. */
  constructor(redis: Redis, keys: RedisKeys) {
    this.#redis = redis;
    this.#keys = keys;
  }

  async write(state: ProcessState, streams: StreamsBySubscription): Promise<void> {
    const { processes } = this.#keys;
    const key = this.#keys.process(state.id);
    const fields = Object.fromEntries([...streams].map(([id, listed]) => [toField(id), JSON.stringify(listed)]));
    const gone = [...this.#written].filter((field) => !Object.hasOwn(fields, field));
    for (const field of Object.keys(fields)) this.#written.add(field);
    const nowMs = Date.now();
    const pipeline = this.#redis
      .pipeline()
      .hset(key, { state: serializeProcessState(state), ...fields })
      .pexpire(key, keptMs)
      .zadd(processes, nowMs, state.id)
      .zremrangebyscore(processes, '-inf', String(nowMs - idKeptMs))
      .pexpire(processes, idKeptMs);
    if (gone.length > 0) pipeline.hdel(key, ...gone);
    await runPipeline(pipeline, 'process states write');
    for (const field of gone) this.#written.delete(field);
  }

  async list(subscriptionId = ''): Promise<ReadState[]> {
    const query = this.#redis.pipeline().zrange(this.#keys.processes, '0', '-1');
    const [ids] = (await runPipeline(query, 'process states list')) as [string[]];
    const pipeline = this.#redis.pipeline();
    for (const key of ids.map((id) => this.#keys.process(id))) {
      pipeline.hmget(key, 'state', toField(subscriptionId)).pttl(key);
    }
    const replies = ids.length === 0 ? [] : await runPipeline(pipeline, 'process states list');
    return ids.flatMap((_, index) => {
      const [text, listed] = replies[2 * index] as (string | null)[];
      const state = parseProcessState(text ?? '');
      if (state === null) return [];
      const remainingMs = replies[2 * index + 1] as number;
      return [{ state, ageMs: Math.max(0, keptMs - remainingMs), streams: parseListedStreams(listed ?? '[]') }];
    });
  }

  async remove(id: string): Promise<void> {
    const pipeline = this.#redis.pipeline().del(this.#keys.process(id)).zrem(this.#keys.processes, id);
    await runPipeline(pipeline, 'process states remove');
  }
}

const toField = (subscriptionId: string): string => `streams:${subscriptionId}`;
