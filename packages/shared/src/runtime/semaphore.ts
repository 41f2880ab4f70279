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

/**
 * Starts `work` synchronously if a slot is free, otherwise when one becomes free. Returns the outcome of `work`. Pieces
 * of work that one source could send in masses have the same `group`.
 */
export type Semaphore = <T>(work: () => Promise<T>, group?: string) => Promise<T>;

interface Waiter {
  readonly start: () => void;
  readonly reject: (error: UnavailableError) => void;
  readonly timer: NodeJS.Timeout | undefined;
}

/**
 * Lets at most `maxRunning` pieces of work run at once. Of the work that waits, the groups take turns, and the work of
 * one group starts in order of arrival. So a group with many pieces does not delay those of another group.
 *
 * Rejects with `UnavailableError`, without starting the work, if the wait takes longer than `maxWaitMs`, or if
 * `maxWaiting` pieces wait already. In the second case, the newest piece of the largest group is rejected.
 */
export function createSemaphore(options: SemaphoreOptions): Semaphore {
  const { what, maxRunning, maxWaiting = Infinity, maxWaitMs } = options;
  const queue = createFairQueue<Waiter>();
  let running = 0;

  const waitForSlot = (group: string): Promise<void> =>
    new Promise((resolve, reject) => {
      const rejectLate = () => {
        queue.remove(group, waiter);
        reject(new UnavailableError(`${what}: no slot became free within ${maxWaitMs} ms`));
      };
      const timer = maxWaitMs === undefined ? undefined : setTimeout(rejectLate, maxWaitMs);
      const waiter: Waiter = { start: resolve, reject, timer };
      queue.add(group, waiter);
      if (queue.size <= maxWaiting) return;
      const excess = queue.takeNewestOfLargest();
      clearTimeout(excess?.timer);
      excess?.reject(new UnavailableError(`${what}: the queue is full, ${maxWaiting} wait already`));
    });

  const releaseSlot = () => {
    const next = queue.takeNext();
    if (next === undefined) {
      running -= 1;
      return;
    }
    // The slot passes to the next waiter, so `running` stays the same.
    clearTimeout(next.timer);
    next.start();
  };

  return async (work, group = '') => {
    if (running < maxRunning) running += 1;
    else await waitForSlot(group);
    try {
      return await work();
    } finally {
      releaseSlot();
    }
  };
}

/** A queue whose groups take turns. Items of one group leave in order of arrival. */
function createFairQueue<T>() {
  /** The items of each group that has any. The group at the front has the next turn. */
  const groups = new Map<string, Set<T>>();
  let size = 0;

  const remove = (group: string, item: T): void => {
    const items = groups.get(group);
    if (items?.delete(item) !== true) return;
    size -= 1;
    if (items.size === 0) groups.delete(group);
  };

  return {
    get size() {
      return size;
    },
    add(group: string, item: T): void {
      const items = groups.get(group) ?? new Set();
      groups.set(group, items.add(item));
      size += 1;
    },
    remove,
    takeNext(): T | undefined {
      for (const [group, items] of groups) {
        // The group goes to the end.
        groups.delete(group);
        groups.set(group, items);
        for (const item of items) {
          remove(group, item);
          return item;
        }
      }
      return undefined;
    },
    /** Of several largest groups, it takes from the one whose turn is last. */
    takeNewestOfLargest(): T | undefined {
      const [largest] = [...groups].reverse().sort(([, a], [, b]) => b.size - a.size);
      if (largest === undefined) return undefined;
      const [group, items] = largest;
      const newest = [...items].at(-1);
      if (newest !== undefined) remove(group, newest);
      return newest;
    },
  };
}
