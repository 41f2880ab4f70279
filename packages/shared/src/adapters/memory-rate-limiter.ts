import { type RateLimit, type RateOutcome, returnPermits, takePermits } from '../domain/gcra.ts';
import type { RateLimiter, RateRequest } from '../ports/rate-limiter.ts';

export interface MemoryRateLimiterOptions {
  /** Milliseconds on a clock that nobody sets. */
  readonly monotonicMs: () => number;
  /** How many keys are kept at most; beyond it the one that was not asked for longest is forgotten. */
  readonly keysMax?: number;
}

const keysMaxDefault = 50_000;
const sweepFrom = 1_000;
/** With every place taken, looking for keys to drop is tried again only after this. */
const sweepPauseMs = 1_000;

/** Limits within one process: all there is on the embedded backend, and each pod's own while Redis is away. */
export class MemoryRateLimiter implements RateLimiter {
  readonly #monotonicMs: () => number;
  readonly #keysMax: number;
  /** Key to the time when its burst is whole again; in the order of their last use. */
  readonly #fullAtMs = new Map<string, number>();
  #sweepAtSize = sweepFrom;
  #sweptAtMs = Number.NEGATIVE_INFINITY;

  constructor({ monotonicMs, keysMax = keysMaxDefault }: MemoryRateLimiterOptions) {
    this.#monotonicMs = monotonicMs;
    this.#keysMax = keysMax;
  }

  /** How many keys are held. */
  get size(): number {
    return this.#fullAtMs.size;
  }

  async take({ key, limit, atLeast, atMost }: RateRequest): Promise<RateOutcome> {
    const nowMs = this.#monotonicMs();
    const known = this.#fullAtMs.get(key);
    const { outcome, fullAtMs } = takePermits(known ?? 0, nowMs, limit, { atLeast, atMost });
    // A refused key is kept in use too: whoever is limited must not be forgotten for asking often.
    if (outcome.granted > 0 || known !== undefined) this.#keep(key, fullAtMs, nowMs);
    return outcome;
  }

  async giveBack(key: string, limit: RateLimit, count: number): Promise<void> {
    const nowMs = this.#monotonicMs();
    const known = this.#fullAtMs.get(key);
    if (known !== undefined) this.#keep(key, returnPermits(known, nowMs, limit, count), nowMs);
  }

  #keep(key: string, fullAtMs: number, nowMs: number): void {
    this.#fullAtMs.delete(key);
    if (fullAtMs <= nowMs) return;
    this.#fullAtMs.set(key, fullAtMs);
    const isOver = this.#fullAtMs.size > this.#keysMax;
    if (this.#fullAtMs.size >= this.#sweepAtSize || (isOver && nowMs - this.#sweptAtMs >= sweepPauseMs)) {
      this.#sweep(nowMs);
    }
    if (this.#fullAtMs.size <= this.#keysMax) return;
    const [oldest] = this.#fullAtMs.keys();
    if (oldest !== undefined) this.#fullAtMs.delete(oldest);
  }

  /** Drops the keys whose burst is whole again. Done at every doubling, so that it costs each key little. */
  #sweep(nowMs: number): void {
    for (const [key, fullAtMs] of this.#fullAtMs) {
      if (fullAtMs <= nowMs) this.#fullAtMs.delete(key);
    }
    this.#sweepAtSize = Math.max(sweepFrom, 2 * this.#fullAtMs.size);
    this.#sweptAtMs = nowMs;
  }
}
