import { UnavailableError } from '../domain/errors.ts';

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
