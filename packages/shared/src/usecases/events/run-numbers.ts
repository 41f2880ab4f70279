import type { RunRegistry } from '../../ports/run-registry.ts';
import type { Clock } from '../../runtime/clock.ts';

/** The number under which a run appends, and when it was taken. */
export interface RunNumber {
  readonly run: number;
  /** On the monotonic clock, before the number was requested. */
  readonly takenAtMs: number;
}

/**
 * How long the runs of a process share a number, in milliseconds. A run counts as started when its number was taken. So
 * this must be far below `runLimits.maxAgeMs`.
 */
const sharedForMs = 30_000;

/**
 * The run numbers of one process. A run needs a number that was taken before it reads its widgets. It needs none of its
 * own: numbers only tell the event log which runs are too old, and which of two epochs is the later one. So runs that
 * start within 30 s share one, and most of them take none.
 */
export class RunNumbers {
  readonly #runs: Pick<RunRegistry, 'startRun'>;
  readonly #clock: Pick<Clock, 'monotonicMs'>;
  #current: RunNumber | null = null;
  #taking: Promise<RunNumber> | null = null;

  constructor(deps: { readonly runs: Pick<RunRegistry, 'startRun'>; readonly clock: Pick<Clock, 'monotonicMs'> }) {
    this.#runs = deps.runs;
    this.#clock = deps.clock;
  }

  /** Returns a number that was taken at most 30 s ago. Throws `UnavailableError`. */
  async get(): Promise<RunNumber> {
    const current = this.#current;
    if (current !== null && this.#clock.monotonicMs() - current.takenAtMs < sharedForMs) return current;
    this.#taking ??= this.takeNext().finally(() => {
      this.#taking = null;
    });
    return this.#taking;
  }

  /**
   * Takes a number that is higher than all that any process has taken before this call. The next runs share it. Throws
   * `UnavailableError`.
   */
  async takeNext(): Promise<RunNumber> {
    const takenAtMs = this.#clock.monotonicMs();
    const { run } = await this.#runs.startRun();
    const taken = { run, takenAtMs };
    if (this.#current === null || this.#current.run < run) this.#current = taken;
    return taken;
  }

  /**
   * The next run takes another number than this one. Call it after a run has failed: the log may have rejected its
   * number.
   */
  forget(run: number): void {
    if (this.#current?.run === run) this.#current = null;
  }
}
