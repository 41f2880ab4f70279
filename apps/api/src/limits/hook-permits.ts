import type { RateLimit } from '@widget-service/shared/domain/gcra.ts';
import type { Integration } from '@widget-service/shared/ports/grant-store.ts';
import type { RateLimiter } from '@widget-service/shared/ports/rate-limiter.ts';
import type { Clock } from '@widget-service/shared/runtime/clock.ts';
import type { RateRefusal } from './rate-limit-headers.ts';

/**
 * A lease holds at most the permits that the limit grants in this time, but at least one. A lease that is used up
 * within this time is followed by one of twice its size, or of one permit per waiting hook if that is more.
 */
const leaseMs = 100;
/** Unused permits of a lease expire after this time. */
const leaseTtlMs = 1_000;
/**
 * After a rejection, the pod rejects hooks without a call of the limiter until a permit is available, but at least for
 * this time: otherwise each single permit would cost a call. The pause ends at the latest when the whole burst is
 * available.
 */
const rejectionPauseMs = 50;
/** The burst of an integration's own rate: this many seconds of the rate. */
const burstSeconds = 5;
/** The first removal of idle leases happens at this number of leases. */
const firstSweepSize = 1_000;

interface Waiter {
  readonly resolve: (refusal: RateRefusal | null) => void;
  readonly reject: (error: unknown) => void;
}

/** The permits that this pod has leased for one integration. Times are on the monotonic clock. */
interface Lease {
  /** Permits left. */
  permits: number;
  /** How many permits the pod requested for the current lease. */
  size: number;
  leasedAtMs: number;
  /** Until then, every hook is rejected without a call of the limiter. */
  rejectedUntilMs: number;
  /** When the whole burst will be available again. */
  fullAtMs: number;
  /** Whether a call of the limiter is in progress. */
  isRenewing: boolean;
  /** Served in order of arrival. */
  readonly waiting: Waiter[];
}

export interface HookPermitsDeps {
  readonly limiter: Pick<RateLimiter, 'take'>;
  /** For integrations without a rate of their own; null: no limit. */
  readonly limit: RateLimit | null;
  readonly clock: Pick<Clock, 'monotonicMs'>;
}

/**
 * Decides whether an integration may post one more hook. All pods share the limit, but one call of the limiter serves
 * many hooks: the pod leases permits, at most 100 ms of the rate at a time, and spends them synchronously.
 *
 * The pod requests one permit per waiting hook. If the last lease was used up within 100 ms, the pod requests twice as
 * many permits as for that one, if that is more and within the bound. So idle pods waste at most as many permits as were
 * used.
 */
export class HookPermits {
  readonly #limiter: Pick<RateLimiter, 'take'>;
  readonly #limit: RateLimit | null;
  readonly #clock: Pick<Clock, 'monotonicMs'>;
  readonly #leases = new Map<string, Lease>();
  #sweepAtSize = firstSweepSize;

  constructor({ limiter, limit, clock }: HookPermitsDeps) {
    this.#limiter = limiter;
    this.#limit = limit;
    this.#clock = clock;
  }

  /**
   * Takes one permit. Returns null if it was granted, otherwise the refusal. Returns a promise of this only if the hook
   * must wait for a call of the limiter; it rejects with the limiter's error, for example `UnavailableError`.
   */
  take({ id, rate }: Pick<Integration, 'id' | 'rate'>): RateRefusal | null | Promise<RateRefusal | null> {
    if (rate === null && this.#limit === null) return null;
    const nowMs = this.#clock.monotonicMs();
    const lease = this.#leases.get(id) ?? this.#add(id, nowMs);
    if (lease.permits > 0 && nowMs - lease.leasedAtMs < leaseTtlMs) {
      lease.permits -= 1;
      return null;
    }
    // Built only here: most hooks find a permit above. The limit cannot be null; the check is for the type.
    const limit = rate === null ? this.#limit : createOwnLimit(rate);
    if (limit === null) return null;
    if (nowMs < lease.rejectedUntilMs) return toRefusal(lease, limit, nowMs);
    return new Promise((resolve, reject) => {
      lease.waiting.push({ resolve, reject });
      if (!lease.isRenewing) void this.#serveWaiting(id, lease, limit);
    });
  }

  /** Leases permits until no hook waits. If the limiter grants none, all waiting hooks are rejected. */
  async #serveWaiting(id: string, lease: Lease, limit: RateLimit): Promise<void> {
    lease.isRenewing = true;
    try {
      while (lease.waiting.length > 0) {
        await this.#renew(id, lease, limit);
        const served = lease.waiting.splice(0, lease.permits);
        lease.permits -= served.length;
        for (const { resolve } of served) resolve(null);
        const nowMs = this.#clock.monotonicMs();
        if (nowMs >= lease.rejectedUntilMs) continue;
        for (const { resolve } of lease.waiting.splice(0)) resolve(toRefusal(lease, limit, nowMs));
      }
    } catch (error) {
      for (const { reject } of lease.waiting.splice(0)) reject(error);
    } finally {
      lease.isRenewing = false;
    }
  }

  async #renew(id: string, lease: Lease, limit: RateLimit): Promise<void> {
    const size = computeNextSize(lease, limit, this.#clock.monotonicMs());
    // Expired permits must not be spent during the call.
    lease.permits = 0;
    const outcome = await this.#limiter.take({ key: `hooks:${id}`, limit, atLeast: 1, atMost: size });
    const nowMs = this.#clock.monotonicMs();
    lease.size = size;
    lease.permits = outcome.granted;
    lease.leasedAtMs = nowMs;
    lease.fullAtMs = nowMs + outcome.resetAfterMs;
    if (outcome.granted > 0) return;
    lease.rejectedUntilMs = nowMs + Math.max(outcome.retryAfterMs, Math.min(rejectionPauseMs, outcome.resetAfterMs));
  }

  #add(id: string, nowMs: number): Lease {
    if (this.#leases.size >= this.#sweepAtSize) this.#sweep(nowMs);
    const lease = {
      permits: 0,
      size: 0,
      leasedAtMs: nowMs,
      rejectedUntilMs: nowMs,
      fullAtMs: nowMs,
      isRenewing: false,
      waiting: [],
    };
    this.#leases.set(id, lease);
    return lease;
  }

  /** Removes the leases of idle integrations. Runs each time the number of leases has doubled: amortized O(1). */
  #sweep(nowMs: number): void {
    for (const [id, lease] of this.#leases) {
      const isIdle = nowMs - lease.leasedAtMs >= leaseTtlMs && nowMs >= lease.rejectedUntilMs;
      if (isIdle && !lease.isRenewing) this.#leases.delete(id);
    }
    this.#sweepAtSize = Math.max(firstSweepSize, 2 * this.#leases.size);
  }
}

function createOwnLimit(ratePerSecond: number): RateLimit {
  return { ratePerSecond, burst: Math.max(1, Math.floor(burstSeconds * ratePerSecond)) };
}

function computeNextSize({ permits, size, leasedAtMs, waiting }: Lease, limit: RateLimit, nowMs: number): number {
  const max = Math.max(1, Math.min(limit.burst, Math.floor((limit.ratePerSecond * leaseMs) / 1_000)));
  const wasUsedUpInTime = permits === 0 && nowMs - leasedAtMs <= leaseMs;
  return Math.min(max, Math.max(1, waiting.length, wasUsedUpInTime ? 2 * size : 1));
}

function toRefusal({ rejectedUntilMs, fullAtMs }: Lease, limit: RateLimit, nowMs: number): RateRefusal {
  return { limit, retryAfterMs: rejectedUntilMs - nowMs, resetAfterMs: Math.max(0, fullAtMs - nowMs) };
}
