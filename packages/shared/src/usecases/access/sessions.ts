import { randomBytes } from 'node:crypto';
import { UnavailableError } from '../../domain/errors.ts';
import type { PageRequest } from '../../domain/page.ts';
import { sha256Hex } from '../../domain/token.ts';
import { createUuidV7 } from '../../domain/uuid.ts';
import type { Session } from '../../entities/session.ts';
import type { User } from '../../entities/user.ts';
import { type Collection, insertNew } from '../../ports/collection.ts';
import type { ControlLog } from '../../ports/control-log.ts';
import type { Clock } from '../../runtime/clock.ts';
import { withDeadline } from '../../runtime/deadline.ts';
import { type CountedPage, listCountedPage, type TooDeepPage } from '../lists/list-counted-page.ts';
import { makeFindKnownSession } from './find-known-session.ts';

/**
 * A session ends when it is unused for this long: a working day with its breaks. `SESSION_LIFETIME_MS` ends it earlier,
 * if an operator wants that.
 */
export const sessionIdleMs = 43_200_000;
const sessionIdBytes = 32;
/** `lastSeenAt` is written at most this often; more often only if sessions may be idle for less than four minutes. */
const lastSeenIntervalMs = 60_000;
/** How long a request waits for this write at most. The rest of its deadline is for its own work. */
const lastSeenDeadlineMs = 300;
const concurrentLastSeenWritesMax = 8;
/** After a failed write, `lastSeenAt` is not written for this long. */
const lastSeenPauseMs = 5_000;

export interface StartedSession {
  /** The secret for the cookie. The store holds only its digest. */
  readonly sessionId: string;
  readonly session: Session;
}

export interface StartSessionDeps {
  readonly sessions: Pick<Collection<Session>, 'insert'>;
  readonly clock: Pick<Clock, 'now'>;
  readonly sessionLifetimeMs: number;
  /** Ends the oldest sessions of a user who has too many. */
  readonly endOldest?: (userId: string) => Promise<void>;
}

/** Where a session was started, for people to recognise it by. */
export type SessionOrigin = Pick<Session, 'device' | 'address'>;

const unknownOrigin: SessionOrigin = { device: null, address: null };

/** Makes the function that starts a session of a user under a new random id. Throws `UnavailableError`. */
export function makeStartSession({ sessions, clock, sessionLifetimeMs, endOldest }: StartSessionDeps) {
  return async (userId: string, { device, address } = unknownOrigin): Promise<StartedSession> => {
    const sessionId = randomBytes(sessionIdBytes).toString('base64url');
    const createdAt = clock.now();
    const session = {
      id: createUuidV7(),
      digest: sha256Hex(sessionId),
      userId,
      device,
      address,
      createdAt,
      lastSeenAt: createdAt,
      expiresAt: new Date(createdAt.getTime() + sessionLifetimeMs),
    };
    await insertNew(sessions, session);
    await endOldest?.(userId);
    return { sessionId, session };
  };
}

/** Whether a session has reached its lifetime, or has not been used for `sessionIdleMs`. */
export function hasSessionEnded(
  { expiresAt, lastSeenAt }: Pick<Session, 'expiresAt' | 'lastSeenAt'>,
  now: Date,
  sessionIdleMs: number,
): boolean {
  return now >= expiresAt || now.getTime() - lastSeenAt.getTime() >= sessionIdleMs;
}

/** Selects the sessions of a user that have not ended. */
function areLive(userId: string, now: Date, sessionIdleMs: number) {
  const idleSince = new Date(now.getTime() - sessionIdleMs);
  return { userId, expiresAt: { above: now }, lastSeenAt: { above: idleSince } };
}

export interface FindSessionDeps {
  readonly sessions: Pick<Collection<Session>, 'get' | 'change'>;
  readonly users: Pick<Collection<User>, 'get'>;
  readonly clock: Pick<Clock, 'now' | 'monotonicMs'>;
  readonly sessionIdleMs: number;
}

export interface SignedIn {
  readonly user: User;
  readonly session: Session;
}

/**
 * Makes the function that finds the session and the user of a session id. It returns null if the session is unknown or
 * has ended, or if its user is unknown or disabled. Throws `UnavailableError` when a read fails. `source` says who
 * asks: see `makeFindKnownSession`.
 */
export function makeFindSession({ sessions, users, clock, sessionIdleMs }: FindSessionDeps) {
  const recordLastSeen = makeRecordLastSeen({ sessions, clock, sessionIdleMs });
  const findKnownSession = makeFindKnownSession({ sessions, clock });
  return async (sessionId: string, source: string): Promise<SignedIn | null> => {
    const session = await findKnownSession(sha256Hex(sessionId), source);
    const signedIn = session === null ? null : await findUserOfSession(session, { users, clock, sessionIdleMs });
    if (signedIn !== null) await recordLastSeen(signedIn.session);
    return signedIn;
  };
}

/** Returns null if the session has ended, or if its user is unknown or disabled. Throws `UnavailableError`. */
export async function findUserOfSession(
  session: Session,
  { users, clock, sessionIdleMs }: Pick<FindSessionDeps, 'users' | 'clock' | 'sessionIdleMs'>,
): Promise<SignedIn | null> {
  if (hasSessionEnded(session, clock.now(), sessionIdleMs)) return null;
  const user = await users.get(session.userId);
  return user === null || user.disabled ? null : { user, session };
}

/**
 * Makes the function that writes `lastSeenAt` of a session if that is due. It returns whether it was. A write that
 * fails with `UnavailableError` does not fail the request: the session itself was read. The function skips the write
 * while too many others run, and for a while after a failure. Otherwise a store that accepts no writes would use up the
 * connections that reads need.
 */
export function makeRecordLastSeen({
  sessions,
  clock,
  sessionIdleMs,
}: Pick<FindSessionDeps, 'clock' | 'sessionIdleMs'> & { readonly sessions: Pick<Collection<Session>, 'change'> }) {
  const recordAfterMs = Math.min(lastSeenIntervalMs, sessionIdleMs / 4);
  let runningWrites = 0;
  let pausedUntilMs = Number.NEGATIVE_INFINITY;
  return async ({ digest, lastSeenAt }: Session): Promise<boolean> => {
    const now = clock.now();
    if (now.getTime() - lastSeenAt.getTime() < recordAfterMs) return false;
    if (runningWrites >= concurrentLastSeenWritesMax || clock.monotonicMs() < pausedUntilMs) return false;
    runningWrites += 1;
    const write = sessions
      .change(digest, (stored) => (stored.lastSeenAt < now ? { lastSeenAt: now } : null))
      .finally(() => {
        runningWrites -= 1;
      });
    try {
      await withDeadline(write, lastSeenDeadlineMs, 'record when a session was last seen');
    } catch (error) {
      if (!(error instanceof UnavailableError)) throw error;
      pausedUntilMs = clock.monotonicMs() + lastSeenPauseMs;
    }
    return true;
  };
}

/**
 * The functions that end sessions remove them from the store, then announce it to every pod. A removed session is
 * invalid at once where pods read it at each request: everywhere but for widgets. There, and for the session's personal
 * streams, the announcement ends it.
 *
 * The functions throw `UnavailableError`. If only the announcement failed, the sessions are removed all the same, and
 * the pods end the streams at their next check, within a minute.
 */
export interface EndSessionsDeps {
  readonly sessions: Pick<Collection<Session>, 'remove' | 'removeAll'>;
  readonly control: Pick<ControlLog, 'announce'>;
}

/** Makes the function that ends one session. */
export function makeEndSession({ sessions, control }: EndSessionsDeps) {
  return async ({ digest }: Session): Promise<void> => {
    await sessions.remove(digest);
    await control.announce({ kind: 'session', id: digest, change: 'revoked' });
  };
}

/** A browser has one; the others are forgotten ones, or those of a script. */
const sessionsMax = 100;
/** How many are ended at once. A sign-in adds one. */
const endedAtOnce = 10;

export interface EndOldestSessionsDeps extends EndSessionsDeps, Pick<FindSessionDeps, 'sessionIdleMs'> {
  readonly sessions: EndSessionsDeps['sessions'] & Pick<Collection<Session>, 'list'>;
  readonly clock: Pick<Clock, 'now'>;
}

/** Makes the function that ends the oldest sessions of a user beyond 100. Call it after a session was added. */
export function makeEndOldestSessions({ sessions, control, clock, sessionIdleMs }: EndOldestSessionsDeps) {
  return async (userId: string): Promise<void> => {
    for (const session of await sessions.list(areLive(userId, clock.now(), sessionIdleMs), {
      offset: sessionsMax,
      limit: endedAtOnce,
    })) {
      // A damaged session is accepted nowhere.
      if (session === null) continue;
      await sessions.remove(session.digest);
      await announceOrLeave(control, session.digest);
    }
  };
}

/** Without the announcement, the pods end the streams of the session at their next check. */
async function announceOrLeave(control: EndSessionsDeps['control'], id: string): Promise<void> {
  try {
    await control.announce({ kind: 'session', id, change: 'revoked' });
  } catch (error) {
    if (!(error instanceof UnavailableError)) throw error;
  }
}

export interface EndReplacedSessionDeps extends EndSessionsDeps {
  readonly sessions: EndSessionsDeps['sessions'] & Pick<Collection<Session>, 'get'>;
}

/**
 * Makes the function that ends the session of a session id, because a sign-in replaces it in the browser. Does nothing
 * if there is no such session. It does not throw if only the announcement failed, so that a sign-in succeeds.
 */
export function makeEndReplacedSession({ sessions, control }: EndReplacedSessionDeps) {
  return async (sessionId: string): Promise<void> => {
    const digest = sha256Hex(sessionId);
    if ((await sessions.get(digest)) === null) return;
    await sessions.remove(digest);
    await announceOrLeave(control, digest);
  };
}

export interface EndSessionByIdDeps extends EndSessionsDeps {
  readonly sessions: Pick<Collection<Session>, 'find' | 'remove' | 'removeAll'>;
}

/** Makes the function that ends the session of a user with this `id`. It returns false if there is none. */
export function makeEndSessionById(deps: EndSessionByIdDeps) {
  const endSession = makeEndSession(deps);
  return async (userId: string, id: string): Promise<boolean> => {
    const session = await deps.sessions.find({ userId, id });
    if (session === null) return false;
    await endSession(session);
    return true;
  };
}

/** Makes the function that ends every session of a user. */
export function makeEndAllSessions({ sessions, control }: EndSessionsDeps) {
  return async (userId: string): Promise<void> => {
    await sessions.removeAll({ userId });
    await control.announce({ kind: 'user', id: userId, change: 'revoked' });
  };
}

/** Makes the function that ends every other session of the user of `session`. */
export function makeEndOtherSessions({ sessions, control }: EndSessionsDeps) {
  return async ({ userId, digest }: Session): Promise<void> => {
    await sessions.removeAll({ userId, digest: { not: digest } });
    // `changed`, not `revoked`: one session remains, so the pods must read again which ones do.
    await control.announce({ kind: 'user', id: userId, change: 'changed' });
  };
}

export interface ListSessionsDeps {
  readonly sessions: Pick<Collection<Session>, 'list' | 'count'>;
  readonly clock: Pick<Clock, 'now'>;
  readonly sessionIdleMs: number;
}

/** Makes the function that lists the open sessions of a user, newest first. Throws `UnavailableError`. */
export function makeListSessions({ sessions, clock, sessionIdleMs }: ListSessionsDeps) {
  return (userId: string, request: PageRequest): Promise<CountedPage<Session> | TooDeepPage> => {
    return listCountedPage(sessions, areLive(userId, clock.now(), sessionIdleMs), request);
  };
}
