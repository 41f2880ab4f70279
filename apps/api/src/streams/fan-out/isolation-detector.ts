import { formatPosition } from '@widget-service/shared/domain/sse-id.ts';
import type { RunRegistry } from '@widget-service/shared/ports/run-registry.ts';
import type { Clock } from '@widget-service/shared/runtime/clock.ts';

/**
 * How long this pod's reads must fail before the detector reads the recorded position, and how long they must go on
 * failing after that position has moved. Pods reconnect faster than this after an outage of all.
 */
const toleranceMs = 10_000;

/**
 * Detects that this pod cannot read the event log while other processes append to it (ADR 13).
 *
 * Example: the reads fail from second 0 on. At second 10 the detector reads the last recorded position: 1284. At second
 * 12 the position is 1290: others append. If the reads still fail at second 22, the pod is isolated.
 *
 * Runs record the position in the run registry, in MongoDB. If no process can reach the log, the recorded position does
 * not change: no pod is isolated, and the streams stay open.
 */
export class IsolationDetector {
  readonly #runs: Pick<RunRegistry, 'lastPosition'>;
  readonly #clock: Pick<Clock, 'monotonicMs'>;
  #failingSinceMs: number | null = null;
  /** The recorded position at the first read of the run registry. */
  #firstRecorded: string | null = null;
  #othersAppendSinceMs: number | null = null;

  constructor(runs: Pick<RunRegistry, 'lastPosition'>, clock: Pick<Clock, 'monotonicMs'>) {
    this.#runs = runs;
    this.#clock = clock;
  }

  /** Call it after each successful read of the log: the pod is not isolated, and the detection starts again. */
  recordSuccess(): void {
    this.#failingSinceMs = null;
    this.#firstRecorded = null;
    this.#othersAppendSinceMs = null;
  }

  /**
   * Call it after each failed read of the log. Resolves to true if the pod is isolated, so that other pods can serve
   * its streams. Resolves to false if it is not, or if the run registry is unavailable too. Never rejects.
   */
  async recordFailure(): Promise<boolean> {
    this.#failingSinceMs ??= this.#clock.monotonicMs();
    if (this.#clock.monotonicMs() - this.#failingSinceMs < toleranceMs) return false;
    const recorded = await this.#readRecorded();
    if (recorded === null) return false;
    this.#firstRecorded ??= recorded;
    if (recorded === this.#firstRecorded) return false;
    this.#othersAppendSinceMs ??= this.#clock.monotonicMs();
    return this.#clock.monotonicMs() - this.#othersAppendSinceMs >= toleranceMs;
  }

  /** Returns the recorded position, or `nothing yet`. Null: the run registry is unavailable. */
  #readRecorded(): Promise<string | null> {
    return this.#runs.lastPosition().then(
      (position) => (position === null ? 'nothing yet' : formatPosition(position)),
      () => null,
    );
  }
}
