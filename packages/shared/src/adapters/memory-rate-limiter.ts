import { type RateLimit, type RateOutcome, returnPermits, takePermits } from '../domain/gcra.ts';
import type { RateLimiter, RateRequest } from '../ports/rate-limiter.ts';
import type { Clock } from '../runtime/clock.ts';
import { dropOldest } from '../runtime/drop-oldest.ts';

/** The smallest number of keys that starts a sweep. */
const minSweepSize = 1_000;
/** The shortest pause between two sweeps while the limiter is full. */
const sweepPauseMs = 1_000;

/** Limits within one process: for the embedded backend, and for each pod of a cluster while Redis is unavailable. */
export class MemoryRateLimiter implements RateLimiter {
  readonly #clock: Pick<Clock, 'monotonicMs'>;
  readonly #maxKeys: number;
  /** `fullAtMs` of each key (see `takePermits`). The least recently used key comes first. */
  readonly #fullAtMs = new Map<string, number>();
  #nextSweepSize = minSweepSize;
  #lastSweepAtMs = Number.NEGATIVE_INFINITY;

  /** Keeps at most `maxKeys` keys. Beyond that, it drops the least recently used one. */
  constructor(clock: Pick<Clock, 'monotonicMs'>, maxKeys = 50_000) {
    this.#clock = clock;
    this.#maxKeys = maxKeys;
  }

  /** Number of keys that the limiter holds. */
  get size(): number {
    return this.#fullAtMs.size;
  }

  async take({ key, limit, atLeast, atMost }: RateRequest): Promise<RateOutcome> {
    const nowMs = this.#clock.monotonicMs();
    const previous = this.#fullAtMs.get(key);
    const { outcome, fullAtMs } = takePermits(previous ?? 0, nowMs, limit, { atLeast, atMost });
    // A denied request counts as a use, too: otherwise the limiter could drop a key that it limits.
    if (outcome.granted > 0 || previous !== undefined) this.#keep(key, fullAtMs, nowMs);
    return outcome;
  }

  async giveBack(key: string, limit: RateLimit, count: number): Promise<void> {
    const nowMs = this.#clock.monotonicMs();
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
    dropOldest(this.#fullAtMs, this.#maxKeys);
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

/** How many keys are remembered. Above it, the least recently used one is forgotten. */
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
    dropOldest(fullAtMs, localKeysMax);
    return taken.outcome.granted > 0;
  };
}
