import { backoffMs } from './backoff.ts';
import type { Clock } from './clock.ts';

/** A job that runs as long as the process does. */
export interface Task {
  readonly name: string;
  /** Runs until `signal` aborts. When it ends before, by failure or not, it is started again after a pause. */
  run(signal: AbortSignal): Promise<void>;
  /** What keeps the task from making progress, for readiness; null while all is well. */
  problem(): string | null;
}

export interface SupervisorDeps {
  readonly clock: Clock;
  readonly onFailure: (task: string, error: unknown) => void;
}

/** Starts a set of tasks, keeps them running, tells how they are, and stops them together. */
export class Supervisor {
  readonly #tasks: readonly Task[];
  readonly #deps: SupervisorDeps;
  readonly #stopping = new AbortController();
  #running: Promise<void>[] = [];

  constructor(tasks: readonly Task[], deps: SupervisorDeps) {
    this.#tasks = tasks;
    this.#deps = deps;
  }

  start(): void {
    this.#running = this.#tasks.map((task) => this.#keepRunning(task));
  }

  /** One line per task that makes no progress. */
  problems(): string[] {
    return this.#tasks.flatMap((task) => {
      const problem = task.problem();
      return problem === null ? [] : [`${task.name}: ${problem}`];
    });
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
      const startedAtMs = this.#deps.clock.monotonicMs();
      try {
        await task.run(signal);
      } catch (error) {
        if (!signal.aborted) this.#deps.onFailure(task.name, error);
      }
      const ranLong = this.#deps.clock.monotonicMs() - startedAtMs > 60_000;
      failures = ranLong ? 1 : failures + 1;
      if (!signal.aborted) await this.#deps.clock.sleep(backoffMs(failures, { firstMs: 100, maxMs: 5_000 }), signal);
    }
  }
}

export interface PeriodicOptions {
  readonly name: string;
  /** How long the pause is; a function is asked after each turn. */
  readonly everyMs: number | (() => number);
  readonly clock: Clock;
  readonly onError: (error: unknown) => void;
}

/**
 * A task that does `work` again and again, with a pause in between; a failure waits for the next turn. A stop waits for
 * the turn that goes on: long work looks at its signal.
 */
export function createPeriodicTask(options: PeriodicOptions, work: (signal: AbortSignal) => Promise<void>): Task {
  const { name, everyMs, clock, onError } = options;
  let turnStartedAtMs: number | null = null;
  return {
    name,
    run: async (signal) => {
      while (!signal.aborted) {
        turnStartedAtMs = clock.monotonicMs();
        await work(signal).catch(onError);
        turnStartedAtMs = null;
        await clock.sleep(typeof everyMs === 'number' ? everyMs : everyMs(), signal);
      }
    },
    problem: () => {
      const isStuck = turnStartedAtMs !== null && clock.monotonicMs() - turnStartedAtMs > 60_000;
      return isStuck ? 'has been busy with one turn for over a minute' : null;
    },
  };
}
