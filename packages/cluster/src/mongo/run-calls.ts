import { MongoBulkWriteError, MongoWriteConcernError, type WriteConcernSettings } from 'mongodb';
import { runPortCall } from './translate-error.ts';
import { pinned } from './url-options.ts';

/**
 * The deadlines of one store call of a run, each after a late majority. They are longer than the deadline of a request,
 * because no caller waits for a run, and a run writes whole batches: a store that needs three seconds for a batch would
 * otherwise fail the same batch for ever.
 *
 * A write waits for the majority for half of its deadline less 500 ms: 2 s, 4.5 s, 11.5 s. After a write that the
 * majority did not confirm in time, the next calls get the next deadline. The last one is longer than the lag of 10 s
 * at which MongoDB begins to slow its writers.
 */
export const runDeadlinesMs = [5_000, 10_000, 24_000] as const;
/** The time for the answer itself, after the wait for a majority. */
const answerMs = 500;
/** How long calls keep a longer deadline. */
const keepMs = 60_000;

export interface RunCallLimits {
  readonly deadlineMs: number;
  /** Pass it to each write. */
  readonly writeConcern: WriteConcernSettings;
}

/** Makes the calls of runs. All stores of a process share one. */
export class RunCalls {
  readonly #nowMs: () => number;
  #step = 0;
  #keptUntilMs = 0;

  constructor(nowMs = () => performance.now()) {
    this.#nowMs = nowMs;
  }

  /** Makes one call of a run, as `runPortCall` does. */
  run<T>(operation: string, work: (limits: RunCallLimits) => Promise<T>): Promise<T> {
    if (this.#nowMs() > this.#keptUntilMs) this.#step = 0;
    const usedStep = this.#step;
    const limits = toRunCallLimits(runDeadlinesMs[usedStep] ?? runDeadlinesMs[0]);
    const watched = () =>
      work(limits).catch((error: unknown) => {
        if (isUnconfirmed(error)) {
          this.#step = Math.max(this.#step, Math.min(usedStep + 1, runDeadlinesMs.length - 1));
          this.#keptUntilMs = this.#nowMs() + keepMs;
        }
        throw error;
      });
    return runPortCall(operation, watched, limits.deadlineMs);
  }
}

/** @internal Exported for its test. */
export function toRunCallLimits(deadlineMs: number): RunCallLimits {
  const { w, journal } = pinned;
  // Half, because a call makes up to two writes one after the other. Both answers must arrive before the deadline: only
  // an answer distinguishes a late majority from a silent server.
  return { deadlineMs, writeConcern: { w, journal, wtimeoutMS: deadlineMs / 2 - answerMs } };
}

/** True if MongoDB ran the write, and the majority did not confirm it in time. */
function isUnconfirmed(error: unknown): boolean {
  const writeConcernFailed = 64;
  if (error instanceof MongoBulkWriteError) return error.result.getWriteConcernError()?.code === writeConcernFailed;
  return error instanceof MongoWriteConcernError && error.code === writeConcernFailed;
}
