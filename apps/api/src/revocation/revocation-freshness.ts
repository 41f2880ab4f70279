import type { Clock } from '@widget-service/shared/runtime/clock.ts';

/**
 * A pod is fresh if it has applied every revocation that is older than this. A pod that is not fresh holds new events
 * back, for 3 s at most, and trusts only tokens that it has read within this time.
 *
 * So 2 s after a revocation, its streams have ended and its tokens are rejected on every pod, as long as the pod can
 * read the control log or the stores.
 */
export const freshForMs = 2_000;

/**
 * The time up to which this pod has applied every revocation. A process may freeze for seconds (a paused container, an
 * overloaded machine). When it wakes up, it may read new events before it reads the revocations that preceded them. So
 * before the pod sends an event or accepts a cached token, it checks that it is fresh. See ADR 15.
 */
export class RevocationFreshness {
  readonly #clock: Pick<Clock, 'monotonicMs'>;
  #appliedUntilMs: number | null = null;
  #advance = Promise.withResolvers<void>();

  constructor(clock: Pick<Clock, 'monotonicMs'>) {
    this.#clock = clock;
  }

  /** Records that the pod has applied every revocation made before `atMs` (monotonic clock). Never moves backwards. */
  advanceTo(atMs: number): void {
    this.#appliedUntilMs = Math.max(this.#appliedUntilMs ?? atMs, atMs);
    this.#advance.resolve();
    this.#advance = Promise.withResolvers();
  }

  /** False until the first `advanceTo`. */
  isFresh(): boolean {
    return this.#appliedUntilMs !== null && this.#clock.monotonicMs() - this.#appliedUntilMs <= freshForMs;
  }

  /** Resolves once the pod is fresh; at once if it already is. It has no timeout. */
  async waitUntilFresh(): Promise<void> {
    while (!this.isFresh()) await this.#advance.promise;
  }
}
