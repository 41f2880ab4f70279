import type { RateLimit } from '@widget-service/shared/domain/gcra.ts';
import type { RateLimiter } from '@widget-service/shared/ports/rate-limiter.ts';
import type { Clock } from '@widget-service/shared/runtime/clock.ts';
import type { RateRefusal } from './rate-limit-headers.ts';

/**
 * A lease holds at most the permits that the limit grants in this time, but at least those of one hook. A lease that is
 * used up within this time is followed by one of twice its size, or of the permits of all waiting hooks if that is more.
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
/** The first removal of idle leases happens at this number of leases. */
const firstSweepSize = 1_000;

export type PermitVerdict = RateRefusal | null;

interface Waiter {
  readonly amount: number;
  readonly resolve: (refusal: PermitVerdict) => void;
  readonly reject: (error: unknown) => void;
}

/** The permits that this pod has leased under one key. Times are on the monotonic clock. */
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

export interface LeasedPermitsDeps {
  readonly limiter: Pick<RateLimiter, 'take'>;
  /** Begins the key of each limit, for example `hooks`. */
  readonly keyPrefix: string;
  readonly clock: Pick<Clock, 'monotonicMs'>;
}

/**
 * Takes permits of limits that all pods share. One call of the limiter serves many hooks: the pod leases permits, at most
 * 100 ms of the rate at a time, and spends them synchronously.
 *
 * The pod requests the permits of the waiting hooks. If the last lease was used up within 100 ms, the pod requests twice
 * as many permits as for that one, if that is more and within the bound. So idle pods waste at most as many permits as
 * were used.
 */
export class LeasedPermits {
  readonly #limiter: Pick<RateLimiter, 'take'>;
  readonly #keyPrefix: string;
  readonly #clock: Pick<Clock, 'monotonicMs'>;
  readonly #leases = new Map<string, Lease>();
  #sweepAtSize = firstSweepSize;

  constructor({ limiter, keyPrefix, clock }: LeasedPermitsDeps) {
    this.#limiter = limiter;
    this.#keyPrefix = keyPrefix;
    this.#clock = clock;
  }

  /**
   * Takes `amount` permits, at most the burst of the limit. Returns null if they were granted, otherwise the refusal.
   * Returns a promise of this only if the caller must wait for a call of the limiter; it rejects with the limiter's
   * error, for example `UnavailableError`. `findLimit` is called only if the lease does not suffice.
   */
  take(id: string, amount: number, findLimit: () => RateLimit): PermitVerdict | Promise<PermitVerdict> {
    const nowMs = this.#clock.monotonicMs();
    const lease = this.#leases.get(id) ?? this.#add(id, nowMs);
    if (lease.permits >= amount && nowMs - lease.leasedAtMs < leaseTtlMs) {
      lease.permits -= amount;
      return null;
    }
    const limit = findLimit();
    if (nowMs < lease.rejectedUntilMs) return toRefusal(lease, limit, nowMs);
    return new Promise((resolve, reject) => {
      lease.waiting.push({ amount: Math.min(amount, limit.burst), resolve, reject });
      if (!lease.isRenewing) void this.#serveWaiting(id, lease, limit);
    });
  }

  /** Returns permits that were taken and not used to the lease of this pod. */
  giveBack(id: string, amount: number): void {
    const lease = this.#leases.get(id);
    if (lease !== undefined) lease.permits += amount;
  }

  /** Leases permits until no hook waits. If the limiter grants too few for the next one, all waiting are rejected. */
  async #serveWaiting(id: string, lease: Lease, limit: RateLimit): Promise<void> {
    lease.isRenewing = true;
    try {
      for (let [next] = lease.waiting; next !== undefined; [next] = lease.waiting) {
        await this.#renew(id, lease, next.amount, limit);
        while (lease.waiting[0] !== undefined && lease.waiting[0].amount <= lease.permits) {
          const served = lease.waiting.shift() as Waiter;
          lease.permits -= served.amount;
          served.resolve(null);
        }
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

  async #renew(id: string, lease: Lease, next: number, limit: RateLimit): Promise<void> {
    const startedAtMs = this.#clock.monotonicMs();
    const size = computeNextSize(lease, next, limit, startedAtMs);
    const left = startedAtMs - lease.leasedAtMs < leaseTtlMs ? Math.min(lease.permits, next) : 0;
    // Nothing may be spent during the call: what is left belongs to the next hook, and expired permits to none.
    lease.permits = 0;
    const request = { atLeast: next - left, atMost: Math.max(next, size) - left };
    const outcome = await this.#limiter.take({ key: `${this.#keyPrefix}:${id}`, limit, ...request });
    const nowMs = this.#clock.monotonicMs();
    lease.size = size;
    lease.permits += left + outcome.granted;
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

/** Returns how many permits to request: at least `next`, those of the hook that is served next. */
function computeNextSize(
  { permits, size, leasedAtMs, waiting }: Lease,
  next: number,
  limit: RateLimit,
  nowMs: number,
): number {
  const max = Math.max(next, Math.min(limit.burst, Math.floor((limit.ratePerSecond * leaseMs) / 1_000)));
  const wanted = waiting.reduce((sum, { amount }) => sum + amount, 0);
  const wasUsedUpInTime = permits < next && nowMs - leasedAtMs <= leaseMs;
  return Math.min(max, Math.max(next, wanted, wasUsedUpInTime ? 2 * size : next));
}

function toRefusal({ rejectedUntilMs, fullAtMs }: Lease, limit: RateLimit, nowMs: number): RateRefusal {
  return { limit, retryAfterMs: rejectedUntilMs - nowMs, resetAfterMs: Math.max(0, fullAtMs - nowMs) };
}
