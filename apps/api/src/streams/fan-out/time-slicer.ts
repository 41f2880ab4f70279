import type { Clock } from '@widget-service/shared/runtime/clock.ts';

const sliceMs = 10;

/**
 * Runs work in time slices of 10 ms, first come, first served, and lets other work of the process run in between
 * (ADR 9).
 *
 * Use it for work that arrives by the thousands, such as reconnecting clients. Without slices such a crowd could block
 * the event loop for many seconds: the pod would miss answers of its stores, revocations and probes.
 */
export class TimeSlicer {
  readonly #clock: Pick<Clock, 'monotonicMs'>;
  readonly #onSliceEnd: () => void;
  readonly #waiting = new Set<() => void>();
  #isRunning = false;

  /** `onSliceEnd` is called after every slice. */
  constructor(clock: Pick<Clock, 'monotonicMs'>, onSliceEnd: () => void) {
    this.#clock = clock;
    this.#onSliceEnd = onSliceEnd;
  }

  /**
   * Queues `work` and runs it in a slice, never synchronously. Work that calls `run` again goes to the end of the
   * queue, and runs in the same slice if there is time left. `work` must not throw: that would stop the slicer.
   */
  run(work: () => void): void {
    // A new function, because the set would merge repeated calls with the same `work`.
    this.#waiting.add(() => work());
    if (this.#isRunning) return;
    this.#isRunning = true;
    void this.#runSlices();
  }

  /** Resolves in a slice. The slice includes what the caller does before its next `await`. */
  nextSlice(): Promise<void> {
    return new Promise((resolve) => this.run(resolve));
  }

  async #runSlices(): Promise<void> {
    while (this.#waiting.size > 0) {
      await new Promise((resolve) => setImmediate(resolve));
      const endMs = this.#clock.monotonicMs() + sliceMs;
      for (const work of this.#waiting) {
        this.#waiting.delete(work);
        work();
        // A caller that awaits `nextSlice` continues here, so that its work counts in this slice.
        await null;
        if (this.#clock.monotonicMs() >= endMs) break;
      }
      this.#onSliceEnd();
    }
    this.#isRunning = false;
  }
}
