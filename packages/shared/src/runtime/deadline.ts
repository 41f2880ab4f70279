import { UnavailableError } from '../domain/errors.ts';

/** What is done for a waiting caller may take so long: below the 2 s that callers are promised, so that the answer is there. */
export const requestDeadlineMs = 1_800;

/**
 * What counting all of many rows may take: no caller waits for its end, the next one uses it. It is below the time
 * after which a silent connection is taken for broken.
 */
export const fullCountDeadlineMs = 7_000;

/**
 * The outcome of `work`, or an `UnavailableError` after `ms`. The work itself goes on: its late outcome, also a
 * failure, is dropped.
 *
 * An answer that came while this process was busy is in time. After what sockets received, timers are the event
 * loop's next, so sockets are read once more before the deadline counts: else a busy process would take its stores for
 * away, and have even more to do.
 */
export async function withDeadline<T>(work: Promise<T>, ms: number, what: string): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    const giveUp = () => reject(new UnavailableError(`${what}: no answer within ${ms} ms`));
    timer = setTimeout(() => setImmediate(giveUp), ms);
  });
  work.catch(() => undefined);
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
