import type { RateLimit } from '@widget-service/shared/domain/gcra.ts';
import type { Integration } from '@widget-service/shared/ports/grant-store.ts';
import type { RateLimiter } from '@widget-service/shared/ports/rate-limiter.ts';
import type { Clock } from '@widget-service/shared/runtime/clock.ts';
import { LeasedPermits, type PermitVerdict } from './leased-permits.ts';
import type { RateRefusal } from './rate-limit-headers.ts';

/** The burst of an integration's own rate: this many seconds of the rate. */
const burstSeconds = 5;

/** Which limit of an integration refuses a hook, and when to try again. */
export interface HookRefusalByRate extends RateRefusal {
  readonly name: 'hooks' | 'hook-bytes';
}

type HookVerdict = HookRefusalByRate | null;

export interface HookPermitsDeps {
  readonly limiter: Pick<RateLimiter, 'take'>;
  /** Hooks, for integrations without a rate of their own; null: no limit. */
  readonly limit: RateLimit | null;
  /** Bytes of bodies, per integration; null: no limit. */
  readonly bytesLimit?: RateLimit | null;
  readonly clock: Pick<Clock, 'monotonicMs'>;
}

/**
 * Decides whether an integration may post one more hook: by the number of hooks, and by the bytes of their bodies. All
 * pods share both limits. Leases keep the calls of the limiter few (`LeasedPermits`). If both leases must be renewed, the
 * two calls run at the same time.
 */
export class HookPermits {
  readonly #limit: RateLimit | null;
  readonly #bytesLimit: RateLimit | null;
  readonly #hooks: LeasedPermits;
  readonly #bytes: LeasedPermits;

  constructor({ limiter, limit, bytesLimit = null, clock }: HookPermitsDeps) {
    this.#limit = limit;
    this.#bytesLimit = bytesLimit;
    this.#hooks = new LeasedPermits({ limiter, keyPrefix: 'hooks', clock });
    this.#bytes = new LeasedPermits({ limiter, keyPrefix: 'hook-bytes', clock });
  }

  /**
   * Takes the permits of a hook with a body of this many bytes (0: not known yet, see `takeBytes`). Returns null if both
   * limits grant it, otherwise the refusal; a refused hook costs no permit. Returns a promise of this only if the hook
   * must wait for a call of the limiter; it rejects with the limiter's error, for example `UnavailableError`.
   */
  take(integration: Pick<Integration, 'id' | 'rate'>, bytes = 0): HookVerdict | Promise<HookVerdict> {
    const hook = this.#takeHook(integration);
    if (hook !== null && !(hook instanceof Promise)) return { name: 'hooks', ...hook };
    const body = this.#takeBytes(integration.id, bytes);
    if (hook === null && body === null) return null;
    if (hook instanceof Promise || body instanceof Promise) return this.#combine(integration.id, bytes, hook, body);
    return this.#settle(integration.id, bytes, hook, body);
  }

  /**
   * Takes the permits of the bytes of a body whose size was not known before it was read, after `take`. Returns like
   * `take`: a refused hook gets its permit back.
   */
  takeBytes(id: string, bytes: number): HookVerdict | Promise<HookVerdict> {
    const body = this.#takeBytes(id, bytes);
    const settle = (verdict: PermitVerdict) => this.#settle(id, bytes, null, verdict);
    return body instanceof Promise ? body.then(settle) : settle(body);
  }

  #takeHook({ id, rate }: Pick<Integration, 'id' | 'rate'>): PermitVerdict | Promise<PermitVerdict> {
    const limit = this.#limit;
    if (rate !== null) return this.#hooks.take(id, 1, () => createOwnLimit(rate));
    return limit === null ? null : this.#hooks.take(id, 1, () => limit);
  }

  #takeBytes(id: string, bytes: number): PermitVerdict | Promise<PermitVerdict> {
    const limit = this.#bytesLimit;
    if (limit === null || bytes === 0) return null;
    // The limiter never has more permits than the burst. A larger body fails with `payload-too-large` later.
    return this.#bytes.take(id, Math.min(bytes, limit.burst), () => limit);
  }

  async #combine(
    id: string,
    bytes: number,
    hook: PermitVerdict | Promise<PermitVerdict>,
    body: PermitVerdict | Promise<PermitVerdict>,
  ): Promise<HookVerdict> {
    return this.#settle(id, bytes, ...(await Promise.all([hook, body])));
  }

  #settle(id: string, bytes: number, hook: PermitVerdict, body: PermitVerdict): HookVerdict {
    if (hook === null && body !== null) this.#hooks.giveBack(id, 1);
    if (hook !== null && body === null) this.#bytes.giveBack(id, Math.min(bytes, this.#bytesLimit?.burst ?? 0));
    return hook === null ? toBytesVerdict(body) : { name: 'hooks', ...hook };
  }
}

function toBytesVerdict(verdict: PermitVerdict): HookVerdict {
  return verdict === null ? null : { name: 'hook-bytes', ...verdict };
}

function createOwnLimit(ratePerSecond: number): RateLimit {
  return { ratePerSecond, burst: Math.max(1, Math.floor(burstSeconds * ratePerSecond)) };
}
