import { createRowReader } from '@widget-service/shared/adapters/row-reader.ts';
import { sampleShape } from '@widget-service/shared/adapters/row-shapes.ts';
import { findRequestId, parseSample, serializeSample } from '@widget-service/shared/adapters/sample-codec.ts';
import { type SampleStore, sampleLimits } from '@widget-service/shared/ports/sample-store.ts';
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
 * samples, by time. Redis deletes both at that time.
 */
export function createRedisSampleStore({ redis, keys, onWarning }: RedisSampleStoreOptions): SampleStore {
  const rows = createRowReader({
    of: 'samples',
    identify: findRequestId,
    convert: parseSample,
    shape: sampleShape,
    onWarning,
  });
  const addSample = loadScript('add-sample');

  function call<T>(work: Promise<T>, operation: string): Promise<T> {
    return translateErrors(withDeadline(work, requestDeadlineMs, operation), operation);
  }

  return {
    keepUntil: async (integrationId, until) => {
      const remainingMs = Math.max(1, until.getTime() - Date.now());
      const pipeline = redis
        .pipeline()
        .set(keys.keepsSamples(integrationId), until.getTime(), 'PX', remainingMs)
        .pexpire(keys.samples(integrationId), remainingMs);
      await runPipeline(pipeline, 'samples keep');
    },
    add: async (sample) => {
      const mark = keys.keepsSamples(sample.integrationId);
      // Nearly always nothing is kept: then nothing is sent.
      if ((await call(redis.exists(mark), 'samples add')) === 0) return;
      const args = [sample.receivedAt.getTime(), serializeSample(sample), sampleLimits.perIntegration];
      await call(runScript(redis, addSample, [mark, keys.samples(sample.integrationId)], args), 'samples add');
    },
    find: async (integrationId, now) => {
      const pipeline = redis
        .pipeline()
        .get(keys.keepsSamples(integrationId))
        .zrange(keys.samples(integrationId), '0', '-1', 'REV');
      const [untilMs, texts] = (await runPipeline(pipeline, 'samples find')) as [string | null, string[]];
      const until = untilMs === null ? null : new Date(Number(untilMs));
      if (until === null || !(until > now)) return { until: null, samples: [] };
      return { until, samples: rows.readList(texts).filter((sample) => sample !== null) };
    },
    delete: async (integrationId) => {
      await call(redis.del(keys.keepsSamples(integrationId), keys.samples(integrationId)), 'samples delete');
    },
  };
}
