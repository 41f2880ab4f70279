import { UnavailableError } from '../domain/errors.ts';
import type { RateLimiter } from '../ports/rate-limiter.ts';
import type { Clock } from '../runtime/clock.ts';
import { withDeadline } from '../runtime/deadline.ts';

/**
 * Little enough that a hook is still answered within 2 s when the queue, asked after the limit, does not answer
 * either; far more than a Redis that is well ever takes.
 */
const defaultTimeoutMs = 100;
/** For how long nobody asks again after the shared limiter did not answer. */
const retryAfterMs = 2_000;
const probe = { key: 'probe', limit: { ratePerSecond: 1, burst: 1 }, atLeast: 0, atMost: 0 } as const;

export interface FallbackDeps {
  /** The limiter that all pods share. */
  readonly shared: RateLimiter;
  /** This pod's own. */
  readonly local: RateLimiter;
  readonly clock: Pick<Clock, 'monotonicMs'>;
  /** Called for every decision that the twin makes. */
  readonly onFallback: () => void;
  /** How long the shared limiter may take. */
  readonly timeoutMs?: number;
}

/**
 * A limiter that always decides: while the shared one is away or slow, the pod's own does, with the same limits for
 * this pod alone. Only the first caller waits to find that out; that the shared one is back is found out by a
 * question that nobody waits for. What was taken on one side of such a change may be given back on the other: a
 * permit more or less, once.
 */
export function limitWithFallback(deps: FallbackDeps): RateLimiter {
  const { shared, local, clock, onFallback, timeoutMs = defaultTimeoutMs } = deps;
  let isUnreachable = false;
  let probeAtMs = 0;

  function recordUnreachable(error: unknown): void {
    if (!(error instanceof UnavailableError)) throw error;
    isUnreachable = true;
    probeAtMs = clock.monotonicMs() + retryAfterMs;
  }

  function probeShared(): void {
    const nowMs = clock.monotonicMs();
    if (nowMs < probeAtMs) return;
    probeAtMs = nowMs + retryAfterMs;
    withDeadline(shared.take(probe), timeoutMs, 'rate limit').then(
      () => {
        isUnreachable = false;
      },
      () => undefined,
    );
  }

  /** Null when the twin is to decide. */
  async function askShared<T>(ask: () => Promise<T>): Promise<T | null> {
    if (isUnreachable) {
      probeShared();
      return null;
    }
    try {
      return await withDeadline(ask(), timeoutMs, 'rate limit');
    } catch (error) {
      recordUnreachable(error);
      return null;
    }
  }

  return {
    take: async (request) => {
      const outcome = await askShared(() => shared.take(request));
      if (outcome !== null) return outcome;
      onFallback();
      return local.take(request);
    },
    giveBack: async (key, limit, count) => {
      const isDone = await askShared(() => shared.giveBack(key, limit, count).then(() => true));
      if (isDone === null) await local.giveBack(key, limit, count);
    },
  };
}
