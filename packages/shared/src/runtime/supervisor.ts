import { backoffMs, type Clock } from './clock.ts';
import type { HealthCheck } from './ops-server.ts';

/**
 * A store by what is in it: the documents of MongoDB, the hook queue, or the event log and the control log. The
 * embedded service has all of them in one file.
 */
export type StoreRole = 'documents' | 'queue' | 'events';

/** A background job that runs for as long as the process does. */
export interface Task {
  readonly name: string;
  /** The stores without which it makes no progress: the readiness check of a stuck task names them. */
  readonly stores: readonly StoreRole[];
  /** Runs until `signal` aborts. If it ends or throws before that, the supervisor starts it again after a pause. */
  run(signal: AbortSignal): Promise<void>;
  /** Why the task makes no progress, for the readiness check; null while it does. */
  unreadyReason(): string | null;
}

export interface TaskCheck extends HealthCheck, Pick<Task, 'stores'> {}

/** A task that ran longer than this before it ended starts again with the shortest pause. */
const longRunMs = 60_000;
/** A round of a periodic task that takes longer than this makes the process not ready. */
const stuckAfterMs = 60_000;

/** Starts a set of tasks, restarts those that end, says why the process is not ready, and stops them together. */
export class Supervisor {
  readonly #tasks: readonly Task[];
  readonly #clock: Clock;
  readonly #onFailure: (task: string, error: unknown) => void;
  readonly #stopping = new AbortController();
  #running: Promise<void>[] = [];

  /** `onFailure` is called when a task throws, not when it just ends. Not while the supervisor stops. */
  constructor(tasks: readonly Task[], clock: Clock, onFailure: (task: string, error: unknown) => void) {
    this.#tasks = tasks;
    this.#clock = clock;
    this.#onFailure = onFailure;
  }

  start(): void {
    this.#running = this.#tasks.map((task) => this.#keepRunning(task));
  }

  /** Returns a check per task: whether it makes progress. */
  checks(): TaskCheck[] {
    return this.#tasks.map((task) => ({ name: task.name, reason: task.unreadyReason(), stores: task.stores }));
  }

  /** Resolves once every task has ended. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await Promise.all(this.#running);
  }

  async #keepRunning(task: Task): Promise<void> {
    const { signal } = this.#stopping;
    let failures = 0;
    while (!signal.aborted) {
      const startedAtMs = this.#clock.monotonicMs();
      try {
        await task.run(signal);
      } catch (error) {
        if (!signal.aborted) this.#onFailure(task.name, error);
      }
      const ranLong = this.#clock.monotonicMs() - startedAtMs > longRunMs;
      failures = ranLong ? 1 : failures + 1;
      if (!signal.aborted) await this.#clock.sleep(backoffMs(failures, { firstMs: 100, maxMs: 5_000 }), signal);
    }
  }
}

export interface PeriodicOptions extends Pick<Task, 'name' | 'stores'> {
  /** The pause between two rounds, in milliseconds. A function is called after each round. */
  readonly everyMs: number | (() => number);
  readonly clock: Clock;
  readonly onError: (error: unknown) => void;
}

/**
 * A task that repeats `work`, with a pause between two rounds. A round that fails goes to `onError`, not to the
 * supervisor: the next round follows after the same pause. Stopping waits for the current round, so long work must
 * check its signal.
 */
export function createPeriodicTask(options: PeriodicOptions, work: (signal: AbortSignal) => Promise<void>): Task {
  const { name, stores, everyMs, clock, onError } = options;
  let roundStartedAtMs: number | null = null;
  return {
    name,
    stores,
    run: async (signal) => {
      while (!signal.aborted) {
        roundStartedAtMs = clock.monotonicMs();
        await work(signal).catch(onError);
        roundStartedAtMs = null;
        await clock.sleep(typeof everyMs === 'number' ? everyMs : everyMs(), signal);
      }
    },
    unreadyReason: () => {
      const isStuck = roundStartedAtMs !== null && clock.monotonicMs() - roundStartedAtMs > stuckAfterMs;
      return isStuck ? 'the current round has been running for over a minute' : null;
    },
  };
}
