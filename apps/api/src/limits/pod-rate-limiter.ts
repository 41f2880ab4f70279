import { limitWithFallback } from '@widget-service/shared/adapters/fallback-rate-limiter.ts';
import { MemoryRateLimiter } from '@widget-service/shared/adapters/memory-rate-limiter.ts';
import type { Backend } from '@widget-service/shared/ports/backend.ts';
import type { RateLimiter } from '@widget-service/shared/ports/rate-limiter.ts';
import type { Clock } from '@widget-service/shared/runtime/clock.ts';
import type { Metrics } from '@widget-service/shared/runtime/metrics.ts';

export interface PodRateLimiterDeps {
  readonly backend: Pick<Backend, 'kind' | 'rateLimiter'>;
  readonly clock: Pick<Clock, 'monotonicMs'>;
  readonly metrics: Pick<Metrics, 'rateLimitFallbacks'>;
  /** How long the shared limiter may take. */
  readonly answerWithinMs?: number;
}

/** The limiter that this pod asks: the backend's, and on the cluster its own while that one is away. */
export function createPodRateLimiter({ backend, clock, metrics, ...options }: PodRateLimiterDeps): RateLimiter {
  if (backend.kind === 'embedded') return backend.rateLimiter;
  return limitWithFallback({
    shared: backend.rateLimiter,
    local: new MemoryRateLimiter(clock),
    clock,
    onFallback: () => metrics.rateLimitFallbacks.inc(),
    ...options,
  });
}
