import { UnavailableError } from '../domain/errors.ts';

export interface SemaphoreOptions {
  /** Names the work in error messages, for our logs. */
  readonly what: string;
  /** How many pieces of work may run at once. */
  readonly maxRunning: number;
  /** How many pieces of work may wait. Without it, the queue has no bound. */
  readonly maxWaiting?: number;
  /** How long a piece of work may wait, in milliseconds. Without it, the wait has no bound. */
  readonly maxWaitMs?: number;
}

/** Starts `work` synchronously if a slot is free, otherwise when one becomes free. Returns the outcome of `work`. */
export type Semaphore = <T>(work: () => Promise<T>) => Promise<T>;

interface Waiter {
  readonly start: () => void;
  readonly timer: NodeJS.Timeout | undefined;
}

/**
 * Lets at most `maxRunning` pieces of work run at once. Further work waits in order of arrival.
 *
 * Rejects with `UnavailableError`, without starting the work, if `maxWaiting` pieces wait already or the wait takes
 * longer than `maxWaitMs`.
 */
export function createSemaphore(options: SemaphoreOptions): Semaphore {
  const { what, maxRunning, maxWaiting = Infinity, maxWaitMs } = options;
  const waiters = new Set<Waiter>();
  let running = 0;

  const waitForSlot = (): Promise<void> => {
    if (waiters.size >= maxWaiting) {
      return Promise.reject(new UnavailableError(`${what}: the queue is full, ${maxWaiting} wait already`));
    }
    return new Promise((resolve, reject) => {
      const rejectWaiter = () => {
        waiters.delete(waiter);
        reject(new UnavailableError(`${what}: no slot became free within ${maxWaitMs} ms`));
      };
      const timer = maxWaitMs === undefined ? undefined : setTimeout(rejectWaiter, maxWaitMs);
      const waiter: Waiter = { start: resolve, timer };
      waiters.add(waiter);
    });
  };

  const releaseSlot = () => {
    const [next] = waiters;
    if (next === undefined) {
      running -= 1;
      return;
    }
    // The slot passes to the next waiter, so `running` stays the same.
    waiters.delete(next);
    clearTimeout(next.timer);
    next.start();
  };

  return async (work) => {
    if (running < maxRunning) running += 1;
    else await waitForSlot();
    try {
      return await work();
    } finally {
      releaseSlot();
    }
  };
}
