import { type RateLimit, type RateRefusal, toRateLimit } from '@widget-service/shared/domain/gcra.ts';
import type { Integration } from '@widget-service/shared/entities/grant.ts';
import type { RateLimiter } from '@widget-service/shared/ports/rate-limiter.ts';
import type { Clock } from '@widget-service/shared/runtime/clock.ts';

/** A hook costs one permit for each started 4 KiB of its body, and at least one. */
const bytesPerPermit = 4_096;
/**
 * The time for which a lease should suffice. Example: at 1 000 permits a second, the pod asks for 1 permit, then, while
 * each lease is used up within 100 ms, for 2, 4, 8 … 64 and 100, which are 100 ms of the rate.
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

/** Whether a hook may be posted now. */
export type PermitVerdict = { readonly status: 'granted' } | ({ readonly status: 'refused' } & RateRefusal);
const granted: PermitVerdict = { status: 'granted' };

interface Waiter {
  readonly amount: number;
  readonly resolve: (verdict: PermitVerdict) => void;
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

/** How many permits a hook with a body of this many bytes costs. */
export function countPermits(bytes: number): number {
  return Math.max(1, Math.ceil(bytes / bytesPerPermit));
}

/**
 * Decides whether an integration may post one more hook, by a limit that all pods share. One call of the limiter serves
 * many hooks: the pod leases permits and spends them without a call.
 *
 * A lease begins with the permits of the hooks that wait. If the last lease was used up within 100 ms, the next one is
 * twice as large, up to 100 ms of the rate. So an idle pod never wastes more permits than it has used.
 */
export class HookPermits {
  readonly #deps: HookPermitsDeps;
  readonly #leases = new Map<string, Lease>();
  #sweepAtSize = firstSweepSize;

  constructor(deps: HookPermitsDeps) {
    this.#deps = deps;
  }

  /**
   * Takes this many permits (`countPermits`). A refusal takes none. A hook never costs more than the burst of the
   * limit: `takenBefore` are the permits that the same hook has taken already. Returns a promise only if the hook must
   * wait for a call of the limiter; it rejects with the limiter's error, for example `UnavailableError`.
   */
  take(
    { id, rate }: Pick<Integration, 'id' | 'rate'>,
    permits: number,
    takenBefore = 0,
  ): PermitVerdict | Promise<PermitVerdict> {
    const limit = rate === null ? this.#deps.limit : toRateLimit(rate);
    if (limit === null) return granted;
    const amount = Math.min(permits, limit.burst - takenBefore);
    if (amount <= 0) return granted;
    const nowMs = this.#deps.clock.monotonicMs();
    const lease = this.#leases.get(id) ?? this.#add(id, nowMs);
    if (lease.permits >= amount && nowMs - lease.leasedAtMs < leaseTtlMs) {
      lease.permits -= amount;
      return granted;
    }
    if (nowMs < lease.rejectedUntilMs) return toRefusal(lease, limit, nowMs);
    return new Promise((resolve, reject) => {
      lease.waiting.push({ amount, resolve, reject });
      if (!lease.isRenewing) void this.#serveWaiting(id, lease, limit);
    });
  }

  /** Returns the refusal that any hook gets now; null if the pod knows of none. Takes no permit. */
  findRefusal({ id, rate }: Pick<Integration, 'id' | 'rate'>): RateRefusal | null {
    const limit = rate === null ? this.#deps.limit : toRateLimit(rate);
    const lease = this.#leases.get(id);
    const nowMs = this.#deps.clock.monotonicMs();
    return limit === null || lease === undefined || nowMs >= lease.rejectedUntilMs
      ? null
      : toRefusal(lease, limit, nowMs);
  }

  /** Returns the permits that a refused hook took before (`takenBefore`) to the lease of this pod. */
  giveBack(id: string, permits: number): void {
    const lease = this.#leases.get(id);
    if (lease !== undefined) lease.permits += permits;
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
          served.resolve(granted);
        }
        const nowMs = this.#deps.clock.monotonicMs();
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
    const startedAtMs = this.#deps.clock.monotonicMs();
    const size = computeNextSize(lease, next, limit, startedAtMs);
    const left = startedAtMs - lease.leasedAtMs < leaseTtlMs ? Math.min(lease.permits, next) : 0;
    // Nothing may be spent during the call: what is left belongs to the next hook, and expired permits to none.
    lease.permits = 0;
    const request = { atLeast: next - left, atMost: Math.max(next, size) - left };
    const outcome = await this.#deps.limiter.take({ key: `hooks:${id}`, limit, ...request });
    const nowMs = this.#deps.clock.monotonicMs();
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

function toRefusal({ rejectedUntilMs, fullAtMs }: Lease, limit: RateLimit, nowMs: number) {
  const [retryAfterMs, resetAfterMs] = [rejectedUntilMs - nowMs, Math.max(0, fullAtMs - nowMs)];
  return { status: 'refused', limit, retryAfterMs, resetAfterMs } as const;
}
