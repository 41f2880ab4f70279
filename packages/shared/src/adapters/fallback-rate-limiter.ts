import { UnavailableError } from '../domain/errors.ts';
import type { RateLimiter } from '../ports/rate-limiter.ts';
import { type Clock, withDeadline } from '../runtime/clock.ts';

/**
 * A hook waits for the rate limiter and then up to 1.8 s (`requestDeadlineMs`) for the hook queue. With 100 ms it is
 * answered within 2 s even if both are silent. A healthy Redis needs far less.
 */
const defaultTimeoutMs = 100;
/** The pause between two probes of an unavailable shared limiter. */
const probePauseMs = 2_000;
/** Takes no permits: it only shows whether the limiter answers. */
const probe = { key: 'probe', limit: { ratePerSecond: 1, burst: 1 }, atLeast: 0, atMost: 0 } as const;

export interface FallbackDeps {
  /** The limiter of all pods together. */
  readonly shared: RateLimiter;
  /** This pod's own limiter. */
  readonly local: RateLimiter;
  readonly clock: Pick<Clock, 'monotonicMs'>;
  /** Called for every `take` that the local limiter decides. */
  readonly onFallback: () => void;
  /** How long to wait for the shared limiter, in milliseconds. 100 by default. */
  readonly timeoutMs?: number;
}

/**
 * Builds a limiter that decides even while the shared limiter is unavailable or slow. Then the local one decides, with
 * the same limits for this pod alone. Methods throw only errors of the shared limiter that are no `UnavailableError`.
 *
 * After the first time-out, calls no longer wait for the shared limiter; a probe in the background detects when it is
 * available again. Permits taken from one limiter may be returned to the other, which changes the limit by a few
 * permits, once.
 */
export function limitWithFallback(deps: FallbackDeps): RateLimiter {
  const { shared, local, clock, onFallback, timeoutMs = defaultTimeoutMs } = deps;
  let isSharedUnavailable = false;
  let probeAtMs = 0;

  /** Records that the shared limiter is unavailable. Throws any other error. */
  function handleError(error: unknown): void {
    if (!(error instanceof UnavailableError)) throw error;
    isSharedUnavailable = true;
    probeAtMs = clock.monotonicMs() + probePauseMs;
  }

  function probeShared(): void {
    const nowMs = clock.monotonicMs();
    if (nowMs < probeAtMs) return;
    probeAtMs = nowMs + probePauseMs;
    withDeadline(shared.take(probe), timeoutMs, 'rate limit').then(
      () => {
        isSharedUnavailable = false;
      },
      // Still unavailable: the next call after `probePauseMs` probes again.
      () => undefined,
    );
  }

  /** Returns the shared limiter's answer. Returns null if there is none, so that the local limiter decides. */
  async function callShared<T>(call: () => Promise<T>): Promise<T | null> {
    if (isSharedUnavailable) {
      probeShared();
      return null;
    }
    try {
      return await withDeadline(call(), timeoutMs, 'rate limit');
    } catch (error) {
      handleError(error);
      return null;
    }
  }

  return {
    take: async (request) => {
      const outcome = await callShared(() => shared.take(request));
      if (outcome !== null) return outcome;
      onFallback();
      return local.take(request);
    },
    giveBack: async (key, limit, count) => {
      const isDone = await callShared(() => shared.giveBack(key, limit, count).then(() => true));
      if (isDone === null) await local.giveBack(key, limit, count);
    },
  };
}
