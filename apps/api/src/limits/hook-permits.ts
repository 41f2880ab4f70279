import type { RateLimit } from '@widget-service/shared/domain/gcra.ts';
import type { Integration } from '@widget-service/shared/ports/grant-store.ts';
import type { RateLimiter } from '@widget-service/shared/ports/rate-limiter.ts';
import type { Clock } from '@widget-service/shared/runtime/clock.ts';
import type { RateRefusal } from './rate-limit-headers.ts';

/** A lease holds at most what the limit grants in this time. */
const leaseMs = 100;
/** What of a lease is not used by then is forgotten. */
const keptForMs = 1_000;
/** After a refusal the limiter is left alone for so long, unless the whole burst is there again before. */
const pauseMs = 50;
const burstSeconds = 5;
const sweepFrom = 1_000;

interface Waiter {
  readonly resolve: (refusal: RateRefusal | null) => void;
  readonly reject: (error: unknown) => void;
}

/** What this pod knows of one integration's limit. */
interface Lease {
  permits: number;
  /** How many were asked for last. */
  size: number;
  takenAtMs: number;
  refusedUntilMs: number;
  fullAtMs: number;
  isAsking: boolean;
  /** First come, first served. */
  readonly waiting: Waiter[];
}

export interface HookPermitsDeps {
  readonly limiter: Pick<RateLimiter, 'take'>;
  /** For integrations without a rate of their own; null: no limit. */
  readonly limit: RateLimit | null;
  readonly clock: Pick<Clock, 'monotonicMs'>;
}

/**
 * Whether an integration may post one more hook. The limit is shared by all pods, but asked for only once for many
 * hooks: permits are leased, at most 100 ms of rate at a time, and spent without a promise. A lease doubles as long as
 * it is used up within that time, so that no more can go to waste on idle pods than was used.
 */
export class HookPermits {
  readonly #limiter: Pick<RateLimiter, 'take'>;
  readonly #limit: RateLimit | null;
  readonly #clock: Pick<Clock, 'monotonicMs'>;
  readonly #leases = new Map<string, Lease>();
  #sweepAtSize = sweepFrom;

  constructor({ limiter, limit, clock }: HookPermitsDeps) {
    this.#limiter = limiter;
    this.#limit = limit;
    this.#clock = clock;
  }

  /** Takes a permit: null when it was granted. A promise only when the limiter must be asked. */
  take({ id, rate }: Pick<Integration, 'id' | 'rate'>): RateRefusal | null | Promise<RateRefusal | null> {
    if (rate === null && this.#limit === null) return null;
    const nowMs = this.#clock.monotonicMs();
    const lease = this.#leases.get(id) ?? this.#add(id, nowMs);
    if (lease.permits > 0 && nowMs - lease.takenAtMs < keptForMs) {
      lease.permits -= 1;
      return null;
    }
    const limit = rate === null ? this.#limit : toOwnLimit(rate);
    if (limit === null) return null;
    if (nowMs < lease.refusedUntilMs) return toRefusal(lease, limit, nowMs);
    return new Promise((resolve, reject) => {
      lease.waiting.push({ resolve, reject });
      if (!lease.isAsking) void this.#serve(id, lease, limit);
    });
  }

  /** Leases until nobody waits, or the limiter refuses: then nobody waits any longer. */
  async #serve(id: string, lease: Lease, limit: RateLimit): Promise<void> {
    lease.isAsking = true;
    try {
      while (lease.waiting.length > 0) {
        await this.#renew(id, lease, limit);
        const served = lease.waiting.splice(0, lease.permits);
        lease.permits -= served.length;
        for (const { resolve } of served) resolve(null);
        const nowMs = this.#clock.monotonicMs();
        if (nowMs >= lease.refusedUntilMs) continue;
        for (const { resolve } of lease.waiting.splice(0)) resolve(toRefusal(lease, limit, nowMs));
      }
    } catch (error) {
      for (const { reject } of lease.waiting.splice(0)) reject(error);
    } finally {
      lease.isAsking = false;
    }
  }

  async #renew(id: string, lease: Lease, limit: RateLimit): Promise<void> {
    const size = nextSize(lease, limit, this.#clock.monotonicMs());
    lease.permits = 0;
    const outcome = await this.#limiter.take({ key: `hooks:${id}`, limit, atLeast: 1, atMost: size });
    const nowMs = this.#clock.monotonicMs();
    lease.size = size;
    lease.permits = outcome.granted;
    lease.takenAtMs = nowMs;
    lease.fullAtMs = nowMs + outcome.resetAfterMs;
    if (outcome.granted > 0) return;
    lease.refusedUntilMs = nowMs + Math.max(outcome.retryAfterMs, Math.min(pauseMs, outcome.resetAfterMs));
  }

  #add(id: string, nowMs: number): Lease {
    if (this.#leases.size >= this.#sweepAtSize) this.#sweep(nowMs);
    const lease = {
      permits: 0,
      size: 0,
      takenAtMs: nowMs,
      refusedUntilMs: nowMs,
      fullAtMs: nowMs,
      isAsking: false,
      waiting: [],
    };
    this.#leases.set(id, lease);
    return lease;
  }

  /** Forgets integrations that have been quiet. Done at every doubling, so that it costs each of them little. */
  #sweep(nowMs: number): void {
    for (const [id, lease] of this.#leases) {
      const isQuiet = nowMs - lease.takenAtMs >= keptForMs && nowMs >= lease.refusedUntilMs;
      if (isQuiet && !lease.isAsking) this.#leases.delete(id);
    }
    this.#sweepAtSize = Math.max(sweepFrom, 2 * this.#leases.size);
  }
}

function toOwnLimit(ratePerSecond: number): RateLimit {
  return { ratePerSecond, burst: Math.max(1, Math.floor(burstSeconds * ratePerSecond)) };
}

function nextSize({ permits, size, takenAtMs, waiting }: Lease, limit: RateLimit, nowMs: number): number {
  const max = Math.max(1, Math.min(limit.burst, Math.floor((limit.ratePerSecond * leaseMs) / 1_000)));
  const isUsedUpFast = permits === 0 && nowMs - takenAtMs <= leaseMs;
  return Math.min(max, Math.max(1, waiting.length, isUsedUpFast ? 2 * size : 1));
}

function toRefusal({ refusedUntilMs, fullAtMs }: Lease, limit: RateLimit, nowMs: number): RateRefusal {
  return { limit, retryAfterMs: refusedUntilMs - nowMs, resetAfterMs: Math.max(0, fullAtMs - nowMs) };
}
