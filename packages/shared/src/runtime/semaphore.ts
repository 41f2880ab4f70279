import { UnavailableError } from '../domain/errors.ts';

export interface SemaphoreOptions {
  /** Names the work in the error, for our logs. */
  readonly what: string;
  readonly maxRunning: number;
  readonly maxWaiting: number;
  readonly maxWaitMs: number;
}

/** Runs work at once while there is room, else when its turn comes. */
export type Semaphore = <T>(work: () => Promise<T>) => Promise<T>;

interface Waiter {
  readonly start: () => void;
  readonly timer: NodeJS.Timeout;
}

/**
 * Lets at most `maxRunning` pieces of work run at once; more wait, in order of arrival. Rejects with
 * `UnavailableError`, without having begun the work, when too many wait already or the wait took too long.
 */
export function createSemaphore(options: SemaphoreOptions): Semaphore {
  const { what, maxRunning, maxWaiting, maxWaitMs } = options;
  const waiting = new Set<Waiter>();
  let running = 0;

  const takeTurn = (): Promise<void> => {
    if (running < maxRunning) {
      running += 1;
      return Promise.resolve();
    }
    if (waiting.size >= maxWaiting) return Promise.reject(new UnavailableError(`${what}: too many wait`));
    return new Promise((resolve, reject) => {
      const giveUp = () => {
        waiting.delete(waiter);
        reject(new UnavailableError(`${what}: no turn within ${maxWaitMs} ms`));
      };
      const waiter = { start: resolve, timer: setTimeout(giveUp, maxWaitMs) };
      waiting.add(waiter);
    });
  };

  const passTurnOn = () => {
    const [next] = waiting;
    if (next === undefined) {
      running -= 1;
      return;
    }
    waiting.delete(next);
    clearTimeout(next.timer);
    next.start();
  };

  return async (work) => {
    await takeTurn();
    try {
      return await work();
    } finally {
      passTurnOn();
    }
  };
}
