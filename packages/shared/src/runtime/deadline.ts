import { UnavailableError } from '../domain/errors.ts';

/** What is done for a waiting caller may take so long: below the 2 s that callers are promised, so that the answer is there. */
export const requestDeadlineMs = 1_800;

/**
 * The outcome of `work`, or an `UnavailableError` after `ms`. The work itself goes on: its late outcome, also a
 * failure, is dropped.
 */
export async function withDeadline<T>(work: Promise<T>, ms: number, what: string): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new UnavailableError(`${what}: no answer within ${ms} ms`)), ms);
  });
  work.catch(() => undefined);
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
