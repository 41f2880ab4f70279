import type { RateLimiter } from '@widget-service/shared/ports/rate-limiter.ts';
import type { Redis } from 'ioredis';
import type { RedisKeys } from './keys.ts';
import { loadScript, runScript, translateErrors } from './redis-call.ts';

/** Limits that all pods share: one key per limit, on Redis's clock, so that the pods' clocks need not agree. */
export function createRedisRateLimiter(redis: Redis, keys: RedisKeys): RateLimiter {
  const scripts = { take: loadScript('take-permits'), giveBack: loadScript('give-permits-back') };

  return {
    take: async ({ key, limit, atLeast, atMost }) => {
      const args = [limit.ratePerSecond, limit.burst, atLeast, atMost];
      const reply = runScript(redis, scripts.take, [keys.limit(key)], args) as Promise<TakeReply>;
      const [granted, remaining, retryAfterMs, resetAfterMs] = await translateErrors(reply, 'rate limit');
      return { granted, remaining, retryAfterMs, resetAfterMs };
    },
    giveBack: async (key, limit, count) => {
      const args = [limit.ratePerSecond, limit.burst, count];
      await translateErrors(runScript(redis, scripts.giveBack, [keys.limit(key)], args), 'rate limit');
    },
  };
}

type TakeReply = [granted: number, remaining: number, retryAfterMs: number, resetAfterMs: number];
