import { limitWithFallback } from '@widget-service/shared/adapters/fallback-rate-limiter.ts';
import { MemoryRateLimiter } from '@widget-service/shared/adapters/memory-rate-limiter.ts';
import type { Metrics } from '@widget-service/shared/metrics/metrics.ts';
import type { RateLimiter } from '@widget-service/shared/ports/rate-limiter.ts';
import type { Clock } from '@widget-service/shared/runtime/clock.ts';

export interface PodRateLimiterDeps {
  /** The backend's limiter. */
  readonly limiter: RateLimiter;
  /** Whether the pods share `limiter`, so that it can be unreachable. */
  readonly isShared: boolean;
  readonly clock: Pick<Clock, 'monotonicMs'>;
  readonly metrics: Pick<Metrics, 'rateLimitFallbacks'>;
  /** How long the pod waits for the shared limiter before it falls back, in milliseconds. Default: 100. */
  readonly timeoutMs?: number;
}

/**
 * Creates the pod's rate limiter from the backend's. While a shared limiter is unavailable or slow, the pod limits in
 * its own memory, and counts each decision that it makes there in `rateLimitFallbacks`. Otherwise the result is
 * `limiter`.
 */
export function createPodRateLimiter({
  limiter,
  isShared,
  clock,
  metrics,
  ...options
}: PodRateLimiterDeps): RateLimiter {
  if (!isShared) return limiter;
  return limitWithFallback({
    shared: limiter,
    local: new MemoryRateLimiter(clock),
    clock,
    onFallback: () => metrics.rateLimitFallbacks.inc(),
    ...options,
  });
}
