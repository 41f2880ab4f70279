import { type RateLimit, type RateOutcome, returnPermits, takePermits } from '../domain/gcra.ts';
import type { RateLimiter, RateRequest } from '../ports/rate-limiter.ts';

export interface MemoryRateLimiterOptions {
  /** Milliseconds on a monotonic clock. */
  readonly monotonicMs: () => number;
  /** The limiter keeps at most this many keys, 50 000 by default. Beyond that, it drops the least recently used one. */
  readonly maxKeys?: number;
}

const defaultMaxKeys = 50_000;
/** The smallest number of keys that starts a sweep. */
const minSweepSize = 1_000;
/** The shortest pause between two sweeps while the limiter is full. */
const sweepPauseMs = 1_000;

/** Limits within one process: for the embedded backend, and for each pod of a cluster while Redis is unavailable. */
export class MemoryRateLimiter implements RateLimiter {
  readonly #monotonicMs: () => number;
  readonly #maxKeys: number;
  /** `fullAtMs` of each key (see `takePermits`). The least recently used key comes first. */
  readonly #fullAtMs = new Map<string, number>();
  #nextSweepSize = minSweepSize;
  #lastSweepAtMs = Number.NEGATIVE_INFINITY;

  constructor({ monotonicMs, maxKeys = defaultMaxKeys }: MemoryRateLimiterOptions) {
    this.#monotonicMs = monotonicMs;
    this.#maxKeys = maxKeys;
  }

  /** Number of keys that the limiter holds. */
  get size(): number {
    return this.#fullAtMs.size;
  }

  async take({ key, limit, atLeast, atMost }: RateRequest): Promise<RateOutcome> {
    const nowMs = this.#monotonicMs();
    const previous = this.#fullAtMs.get(key);
    const { outcome, fullAtMs } = takePermits(previous ?? 0, nowMs, limit, { atLeast, atMost });
    // A denied request counts as a use, too: otherwise the limiter could drop a key that it limits.
    if (outcome.granted > 0 || previous !== undefined) this.#keep(key, fullAtMs, nowMs);
    return outcome;
  }

  async giveBack(key: string, limit: RateLimit, count: number): Promise<void> {
    const nowMs = this.#monotonicMs();
    const previous = this.#fullAtMs.get(key);
    if (previous !== undefined) this.#keep(key, returnPermits(previous, nowMs, limit, count), nowMs);
  }

  #keep(key: string, fullAtMs: number, nowMs: number): void {
    this.#fullAtMs.delete(key);
    if (fullAtMs <= nowMs) return;
    this.#fullAtMs.set(key, fullAtMs);
    const isFull = this.#fullAtMs.size > this.#maxKeys;
    if (this.#fullAtMs.size >= this.#nextSweepSize || (isFull && nowMs - this.#lastSweepAtMs >= sweepPauseMs)) {
      this.#sweep(nowMs);
    }
    if (this.#fullAtMs.size <= this.#maxKeys) return;
    const [oldest] = this.#fullAtMs.keys();
    if (oldest !== undefined) this.#fullAtMs.delete(oldest);
  }

  /**
   * Drops the keys whose whole burst is available. Runs each time the size doubles, so the average cost per key is
   * constant. While the limiter is full, it also runs once a second.
   */
  #sweep(nowMs: number): void {
    for (const [key, fullAtMs] of this.#fullAtMs) {
      if (fullAtMs <= nowMs) this.#fullAtMs.delete(key);
    }
    this.#nextSweepSize = Math.max(minSweepSize, 2 * this.#fullAtMs.size);
    this.#lastSweepAtMs = nowMs;
  }
}

/** How many keys are remembered. Above it, the one that was used longest ago has its whole burst again. */
const localKeysMax = 10_000;

/**
 * Makes the function that takes a permit of a limit of this pod, for a key. Returns false if none is left. Unlike the
 * class it is synchronous, and has few keys: it never sweeps.
 */
export function makeTakeLocally(limit: RateLimit): (key: string, nowMs: number) => boolean {
  const fullAtMs = new Map<string, number>();
  return (key, nowMs) => {
    const taken = takePermits(fullAtMs.get(key) ?? 0, nowMs, limit, { atLeast: 1, atMost: 1 });
    fullAtMs.delete(key);
    fullAtMs.set(key, taken.fullAtMs);
    const [oldest = key] = fullAtMs.keys();
    if (fullAtMs.size > localKeysMax) fullAtMs.delete(oldest);
    return taken.outcome.granted > 0;
  };
}
