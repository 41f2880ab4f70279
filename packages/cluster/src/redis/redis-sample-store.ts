import { createSampleReader, serializeSample } from '@widget-service/shared/adapters/sample-codec.ts';
import { findOldestMs, type SampleStore, sampleLimits } from '@widget-service/shared/ports/sample-store.ts';
import { requestDeadlineMs, withDeadline } from '@widget-service/shared/runtime/deadline.ts';
import type { Redis } from 'ioredis';
import type { RedisKeys } from './keys.ts';
import { loadScript, runPipeline, runScript, translateErrors } from './redis-call.ts';
import type { OnWarning } from './targets.ts';

export interface RedisSampleStoreOptions {
  /** For short calls. The caller closes it. */
  readonly redis: Redis;
  readonly keys: Pick<RedisKeys, 'samples' | 'keepsSamples'>;
  readonly onWarning?: OnWarning | undefined;
}

/**
 * Two keys per integration: the mark, with the time until which samples are kept, and a sorted set of the texts of the
 * samples, by time. Redis deletes both at that time, and the samples earlier if the oldest has
 * reached its longest time.
 */
export function createRedisSampleStore({ redis, keys, onWarning }: RedisSampleStoreOptions): SampleStore {
  const rows = createSampleReader(onWarning);
  const addSample = loadScript('add-sample');

  function call<T>(work: Promise<T>, operation: string): Promise<T> {
    return translateErrors(withDeadline(work, requestDeadlineMs, operation), operation);
  }

  function runAddSample(integrationId: string, ...added: readonly (string | number)[]): Promise<unknown> {
    const at = [keys.keepsSamples(integrationId), keys.samples(integrationId)];
    const args = [Date.now(), sampleLimits.keepSecondsMax * 1_000, sampleLimits.perIntegration, ...added];
    return call(runScript(redis, addSample, at, args), 'samples add');
  }

  return {
    keepUntil: async (integrationId, until) => {
      const remainingMs = Math.max(1, until.getTime() - Date.now());
      await call(redis.set(keys.keepsSamples(integrationId), until.getTime(), 'PX', remainingMs), 'samples keep');
      await runAddSample(integrationId);
    },
    add: async (sample) => {
      // Nearly always nothing is kept: then nothing is sent.
      if ((await call(redis.exists(keys.keepsSamples(sample.integrationId)), 'samples add')) === 0) return;
      await runAddSample(sample.integrationId, sample.receivedAt.getTime(), serializeSample(sample));
    },
    find: async (integrationId, now) => {
      const pipeline = redis
        .pipeline()
        .get(keys.keepsSamples(integrationId))
        .zrange(keys.samples(integrationId), '+inf', `(${findOldestMs(now)}`, 'BYSCORE', 'REV');
      const [untilMs, texts] = (await runPipeline(pipeline, 'samples find')) as [string | null, string[]];
      const until = untilMs === null ? null : new Date(Number(untilMs));
      if (until === null || !(until > now)) return { until: null, samples: [] };
      return { until, samples: rows.readList(texts) };
    },
    delete: async (integrationId) => {
      await call(redis.del(keys.keepsSamples(integrationId), keys.samples(integrationId)), 'samples delete');
    },
  };
}
