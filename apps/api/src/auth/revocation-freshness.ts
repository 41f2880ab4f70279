import type { Clock } from '@widget-service/shared/runtime/clock.ts';

/** What is promised: streams of what was revoked end within so long, and the token is good no more. */
export const freshForMs = 2_000;

/**
 * Up to when this pod knows what was revoked. A process may stand still for seconds (a frozen container, a busy machine),
 * and it does not choose in which order it then reads what its connections hold: so before it sends an event, or takes a
 * token from memory, it asks here whether it has heard of rights since.
 */
export class RevocationFreshness {
  readonly #clock: Pick<Clock, 'monotonicMs'>;
  #upToMs: number | null = null;
  #advance = Promise.withResolvers<void>();

  constructor(clock: Pick<Clock, 'monotonicMs'>) {
    this.#clock = clock;
  }

  /** To be called when everything is known that had been revoked by `atMs`, on the monotonic clock, and is carried out. */
  advanceTo(atMs: number): void {
    this.#upToMs = Math.max(this.#upToMs ?? atMs, atMs);
    this.#advance.resolve();
    this.#advance = Promise.withResolvers();
  }

  /** Whether it reaches so far that acting on it breaks no promise. */
  isFresh(): boolean {
    return this.#upToMs !== null && this.#clock.monotonicMs() - this.#upToMs <= freshForMs;
  }

  /** Resolves when it is current. */
  async waitUntilFresh(): Promise<void> {
    while (!this.isFresh()) await this.#advance.promise;
  }
}
