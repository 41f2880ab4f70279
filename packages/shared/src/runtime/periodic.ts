import type { Clock } from './clock.ts';
import type { Task } from './supervisor.ts';

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
