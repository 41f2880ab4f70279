import { formatPosition } from '@widget-service/shared/domain/cursor.ts';
import type { RunRegister } from '@widget-service/shared/ports/run-register.ts';
import type { Clock } from '@widget-service/shared/runtime/clock.ts';

export interface CutOffWatchDeps {
  readonly runs: Pick<RunRegister, 'lastPosition'>;
  readonly clock: Pick<Clock, 'monotonicMs'>;
}

/** Longer than it takes until everybody is back who was away from the log together with this pod. */
const patienceMs = 10_000;

/**
 * Tells when this pod alone cannot read the event log. What others append they record in the run register, which stands
 * in another store: where that goes on, the log is there, and only the way to it is not. A log that nobody reaches is no
 * reason to send a stream elsewhere.
 */
export class CutOffWatch {
  readonly #deps: CutOffWatchDeps;
  #failingSinceMs: number | null = null;
  /** What was recorded when it was looked at first. */
  #recordedAtFirst: string | null = null;
  #othersAppendSinceMs: number | null = null;

  constructor(deps: CutOffWatchDeps) {
    this.#deps = deps;
  }

  noteRead(): void {
    this.#failingSinceMs = null;
    this.#recordedAtFirst = null;
    this.#othersAppendSinceMs = null;
  }

  /** To be called again and again while the log cannot be read. True once streams are better off with another pod. */
  async noteFailure(): Promise<boolean> {
    const { clock } = this.#deps;
    this.#failingSinceMs ??= clock.monotonicMs();
    if (clock.monotonicMs() - this.#failingSinceMs < patienceMs) return false;
    const recorded = await this.#recorded();
    if (recorded === null) return false;
    this.#recordedAtFirst ??= recorded;
    if (recorded === this.#recordedAtFirst) return false;
    this.#othersAppendSinceMs ??= clock.monotonicMs();
    return clock.monotonicMs() - this.#othersAppendSinceMs >= patienceMs;
  }

  /** Null when the register cannot be asked either. */
  #recorded(): Promise<string | null> {
    return this.#deps.runs.lastPosition().then(
      (position) => (position === null ? 'nothing yet' : formatPosition(position)),
      () => null,
    );
  }
}
