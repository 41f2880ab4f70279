import { setTimeout as delay } from 'node:timers/promises';
import { UnavailableError } from '../domain/errors.ts';

/** The source of time. Use cases and tasks get it as a parameter, so that tests can control it. */
export interface Clock {
  now(): Date;
  /** Milliseconds on a monotonic clock: nobody can set it, and it never goes back. */
  monotonicMs(): number;
  /** Resolves after `ms`, or as soon as `signal` is aborted. Never rejects. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

export const systemClock: Clock = {
  now: () => new Date(),
  monotonicMs: () => performance.now(),
  sleep: async (ms, signal) => {
    await delay(ms, undefined, signal === undefined ? {} : { signal }).catch(() => undefined);
  },
};

/**
 * Returns the pause after `failures` failures in a row (at least 1), in milliseconds. It is `firstMs` after the first,
 * and doubles with each, up to `maxMs`. Up to half of it is randomly cut off, so that many clients do not retry at the
 * same time.
 */
export function backoffMs(failures: number, { firstMs, maxMs }: { firstMs: number; maxMs: number }): number {
  const ceiling = Math.min(maxMs, firstMs * 2 ** Math.min(failures - 1, 30));
  return ceiling / 2 + (Math.random() * ceiling) / 2;
}

/** Time limit of the work for a request, in milliseconds. Below the 2 s in which clients are promised a response. */
export const requestDeadlineMs = 1_800;

/**
 * Time limit of a full count of many rows, in milliseconds. No request waits that long; later requests use the result.
 * It is below the 25 s after which the MongoDB client closes a connection that does not answer.
 */
export const fullCountDeadlineMs = 7_000;

/**
 * Resolves or rejects as `work` does, or rejects with an `UnavailableError` after `ms` milliseconds. `what` names the
 * work in the error. The work itself continues; its late result or error is dropped.
 *
 * An answer that arrived while this process was busy is in time. After a busy period, the event loop runs timers before
 * it reads sockets. So an expired deadline lets the event loop read the sockets once before it rejects. Otherwise a
 * busy process would consider its stores unavailable, and its retries would make it even busier.
 */
export async function withDeadline<T>(work: Promise<T>, ms: number, what: string): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const deadline = new Promise<never>((_, reject) => {
    const expire = () => reject(new UnavailableError(`${what}: no answer within ${ms} ms`));
    timer = setTimeout(() => setImmediate(expire), ms);
  });
  work.catch(() => undefined);
  try {
    return await Promise.race([work, deadline]);
  } finally {
    clearTimeout(timer);
  }
}
