import type { Clock } from '@widget-service/shared/runtime/clock.ts';

/** So long at a time; then whatever else the process has to do. */
const sliceMs = 10;

export interface TimeSlicerOptions {
  readonly clock: Pick<Clock, 'monotonicMs'>;
  /** Called after every turn. */
  readonly onSliceEnd: () => void;
}

/**
 * Has work that comes by the thousands at once, as when a crowd returns, done in turns of the event loop, first come,
 * first served. Done as it comes it could keep the process deaf for many seconds: to its stores, to what was revoked, to
 * those who look whether it lives.
 */
export class TimeSlicer {
  readonly #options: TimeSlicerOptions;
  readonly #waiting = new Set<() => void>();
  #isGoing = false;

  constructor(options: TimeSlicerOptions) {
    this.#options = options;
  }

  /** Does the work soon, never at once. It may ask for another turn; that one is behind all who wait by then. */
  run(work: () => void): void {
    // A place of its own, also for work that has one already.
    this.#waiting.add(() => work());
    if (this.#isGoing) return;
    this.#isGoing = true;
    void this.#go();
  }

  /** Resolves when it is the caller's turn. What the caller then does before it waits again belongs to the turn. */
  nextSlice(): Promise<void> {
    return new Promise((resolve) => this.run(resolve));
  }

  async #go(): Promise<void> {
    const { clock, onSliceEnd } = this.#options;
    while (this.#waiting.size > 0) {
      await new Promise((resolve) => setImmediate(resolve));
      const endMs = clock.monotonicMs() + sliceMs;
      for (const work of this.#waiting) {
        this.#waiting.delete(work);
        work();
        // Whoever has taken this turn goes on now.
        await null;
        if (clock.monotonicMs() >= endMs) break;
      }
      onSliceEnd();
    }
    this.#isGoing = false;
  }
}
