import type { RateLimit, RateOutcome } from '@widget-service/shared/domain/gcra.ts';
import type { RateLimiter, RateRequest } from '@widget-service/shared/ports/rate-limiter.ts';
import type { Redis } from 'ioredis';
import type { RedisKeys } from './keys.ts';
import { loadScript, runScript, translateErrors } from './redis-call.ts';

/** Limits that all pods share: one key per limit, on Redis's clock, so that the pods' clocks need not agree. */
export class RedisRateLimiter implements RateLimiter {
  readonly #redis: Redis;
  readonly #keys: RedisKeys;
  readonly #scripts = { take: loadScript('take-permits'), giveBack: loadScript('give-permits-back') };

  constructor(redis: Redis, keys: RedisKeys) {
    this.#redis = redis;
    this.#keys = keys;
  }

  async take({ key, limit, atLeast, atMost }: RateRequest): Promise<RateOutcome> {
    const args = [limit.ratePerSecond, limit.burst, atLeast, atMost];
    const reply = runScript(this.#redis, this.#scripts.take, [this.#keys.limit(key)], args) as Promise<TakeReply>;
    const [granted, remaining, retryAfterMs, resetAfterMs] = await translateErrors(reply, 'rate limit');
    return { granted, remaining, retryAfterMs, resetAfterMs };
  }

  async giveBack(key: string, limit: RateLimit, count: number): Promise<void> {
    const args = [limit.ratePerSecond, limit.burst, count];
    await translateErrors(runScript(this.#redis, this.#scripts.giveBack, [this.#keys.limit(key)], args), 'rate limit');
  }
}

type TakeReply = [granted: number, remaining: number, retryAfterMs: number, resetAfterMs: number];
