import type { Session } from '../../entities/session.ts';
import type { Collection } from '../../ports/collection.ts';
import type { Clock } from '../../runtime/clock.ts';
import { requestDeadlineMs } from '../../runtime/deadline.ts';
import { dropOldest } from '../../runtime/drop-oldest.ts';
import { createSemaphore } from '../../runtime/semaphore.ts';

/**
 * How long an unknown session stays unknown without a read. A new session has a random id that nobody can have sent
 * before. But a MongoDB server that was just replaced as primary may miss the newest sessions, so the time is short.
 */
const unknownTtlMs = 10_000;
const unknownSessionsMax = 20_000;
const knownSessionsMax = 20_000;
const readLimits = { what: 'find a session', maxRunning: 20, maxWaiting: 2_000, maxWaitMs: requestDeadlineMs } as const;

export interface FindKnownSessionDeps {
  readonly sessions: Pick<Collection<Session>, 'get'>;
  readonly clock: Pick<Clock, 'monotonicMs'>;
}

/**
 * Makes the function that reads a session by its digest, and bounds what invented session ids cost:
 * - An unknown digest is not read again for 10 s. Concurrent reads of one digest are one read.
 * - Reads of digests that this pod has not found before run 20 at once. Sources take turns, for example client
 *   addresses.
 *
 * A session that this pod has found before is read at once and each time, so that its end takes effect at once. Throws
 * `UnavailableError` from the store, or if a read must wait too long.
 */
export function makeFindKnownSession({ sessions, clock }: FindKnownSessionDeps) {
  const limitReads = createSemaphore(readLimits);
  /** Digests, with the time until which they count as unknown. */
  const unknownUntilMs = new Map<string, number>();
  const known = new Set<string>();
  const running = new Map<string, Promise<Session | null>>();

  async function read(digest: string): Promise<Session | null> {
    const session = await sessions.get(digest);
    // Inserted anew, so that the digest that was not used for the longest time comes first.
    known.delete(digest);
    if (session === null) {
      unknownUntilMs.set(digest, clock.monotonicMs() + unknownTtlMs);
      dropOldest(unknownUntilMs, unknownSessionsMax);
    } else {
      unknownUntilMs.delete(digest);
      known.add(digest);
      dropOldest(known, knownSessionsMax);
    }
    return session;
  }

  function readLimited(digest: string, source: string): Promise<Session | null> {
    const started = running.get(digest) ?? limitReads(() => read(digest), source).finally(() => running.delete(digest));
    running.set(digest, started);
    return started;
  }

  return async (digest: string, source: string): Promise<Session | null> => {
    if (known.has(digest)) return read(digest);
    if (clock.monotonicMs() < (unknownUntilMs.get(digest) ?? 0)) return null;
    return readLimited(digest, source);
  };
}
