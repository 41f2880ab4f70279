import { formatPosition } from '@widget-service/shared/domain/log-position.ts';
import type { RunRegistry } from '@widget-service/shared/ports/run-registry.ts';
import type { Clock } from '@widget-service/shared/runtime/clock.ts';

export interface IsolationDetectorDeps {
  readonly runs: Pick<RunRegistry, 'lastPosition'>;
  readonly clock: Pick<Clock, 'monotonicMs'>;
}

/** Longer than it takes until everybody is back who was away from the log together with this pod. */
const patienceMs = 10_000;

/**
 * Tells when this pod alone cannot read the event log. What others append they record in the run register, which stands
 * in another store: where that goes on, the log is there, and only the way to it is not. A log that nobody reaches is no
 * reason to send a stream elsewhere.
 */
export class IsolationDetector {
  readonly #deps: IsolationDetectorDeps;
  #failingSinceMs: number | null = null;
  /** What was recorded when it was looked at first. */
  #recordedAtFirst: string | null = null;
  #othersAppendSinceMs: number | null = null;

  constructor(deps: IsolationDetectorDeps) {
    this.#deps = deps;
  }

  recordSuccess(): void {
    this.#failingSinceMs = null;
    this.#recordedAtFirst = null;
    this.#othersAppendSinceMs = null;
  }

  /** To be called again and again while the log cannot be read. True once streams are better off with another pod. */
  async recordFailure(): Promise<boolean> {
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
