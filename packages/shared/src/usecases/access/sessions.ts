import { randomBytes } from 'node:crypto';
import { UnavailableError } from '../../domain/errors.ts';
import { sha256Hex } from '../../domain/token.ts';
import type { ControlLog } from '../../ports/control-log.ts';
import type { Session, SessionStore } from '../../ports/session-store.ts';
import type { User, UserStore } from '../../ports/user-store.ts';
import type { Clock } from '../../runtime/clock.ts';
import { withDeadline } from '../../runtime/deadline.ts';

const sessionIdBytes = 32;
/** `lastSeenAt` is written at most this often, but for sessions that end sooner than a few minutes after their last use. */
const touchIntervalMs = 60_000;
/** A request waits so long for it to be written, and no longer: the rest of its time is for what it asks for. */
const touchDeadlineMs = 300;
const touchesAtOnce = 8;
/** For so long nothing is noted after it could not be. */
const touchRestMs = 5_000;

export interface StartedSession {
  /** The secret for the cookie; stored nowhere. */
  readonly sessionId: string;
  readonly session: Session;
}

export interface StartSessionDeps {
  readonly sessions: Pick<SessionStore, 'insert'>;
  readonly clock: Pick<Clock, 'now'>;
  readonly sessionLifetimeMs: number;
}

/** Starts a session of a user under a new id. */
export function makeStartSession({ sessions, clock, sessionLifetimeMs }: StartSessionDeps) {
  return async (userId: string): Promise<StartedSession> => {
    const sessionId = randomBytes(sessionIdBytes).toString('base64url');
    const createdAt = clock.now();
    const session = {
      digest: sha256Hex(sessionId),
      userId,
      createdAt,
      lastSeenAt: createdAt,
      expiresAt: new Date(createdAt.getTime() + sessionLifetimeMs),
    };
    await sessions.insert(session);
    return { sessionId, session };
  };
}

export interface FindSessionDeps {
  readonly sessions: Pick<SessionStore, 'find' | 'recordLastSeen'>;
  readonly users: Pick<UserStore, 'findById'>;
  readonly clock: Pick<Clock, 'now' | 'monotonicMs'>;
  readonly sessionIdleMs: number;
}

export interface SignedIn {
  readonly user: User;
  readonly session: Session;
}

/** Who a session id stands for; null when it is unknown, over, or its user is disabled. */
export function makeFindSession({ sessions, users, clock, sessionIdleMs }: FindSessionDeps) {
  const touch = makeRecordLastSeen({ sessions, clock });
  const touchAfterMs = Math.min(touchIntervalMs, sessionIdleMs / 4);
  return async (sessionId: string): Promise<SignedIn | null> => {
    const session = await sessions.find(sha256Hex(sessionId));
    if (session === null) return null;
    const now = clock.now();
    const unseenMs = now.getTime() - session.lastSeenAt.getTime();
    if (now >= session.expiresAt || unseenMs >= sessionIdleMs) return null;
    const user = await users.findById(session.userId);
    if (user === null || user.disabled) return null;
    if (unseenMs >= touchAfterMs) await touch(session.digest, now);
    return { user, session };
  };
}

/**
 * A session that could be read is good for this request, also when the note that it was used cannot be written. What the
 * store does not take is not tried by every request, or it would use up the connections that the reads need.
 */
function makeRecordLastSeen({ sessions, clock }: Pick<FindSessionDeps, 'sessions' | 'clock'>) {
  let underway = 0;
  let restsUntilMs = Number.NEGATIVE_INFINITY;
  return async (digest: string, now: Date): Promise<void> => {
    if (underway >= touchesAtOnce || clock.monotonicMs() < restsUntilMs) return;
    underway += 1;
    const touching = sessions.recordLastSeen(digest, now).finally(() => {
      underway -= 1;
    });
    try {
      await withDeadline(touching, touchDeadlineMs, 'touch a session');
    } catch (error) {
      if (!(error instanceof UnavailableError)) throw error;
      restsUntilMs = clock.monotonicMs() + touchRestMs;
    }
  };
}

/**
 * Every pod looks a session up for each request, so a removed one is over at once. What is open on it, the person's own
 * streams, ends when the pods are told. Where that fails the call rejects with `UnavailableError`: the sessions are
 * gone by then, and the streams end when the pods look at them again by themselves, which is every minute.
 */
export interface EndSessionsDeps {
  readonly sessions: Pick<SessionStore, 'remove' | 'removeAllOf'>;
  readonly control: Pick<ControlLog, 'announce'>;
}

/** Ends one session, on every pod. */
export function makeEndSession({ sessions, control }: EndSessionsDeps) {
  return async ({ digest }: Session): Promise<void> => {
    await sessions.remove(digest);
    await control.announce({ kind: 'session', id: digest, change: 'revoked' });
  };
}

/** Ends every session of a user, on every pod. */
export function makeEndAllSessions({ sessions, control }: EndSessionsDeps) {
  return async (userId: string): Promise<void> => {
    await sessions.removeAllOf(userId, null);
    await control.announce({ kind: 'user', id: userId, change: 'revoked' });
  };
}

/** Ends every session of a user but this one, on every pod. */
export function makeEndOtherSessions({ sessions, control }: EndSessionsDeps) {
  return async ({ userId, digest }: Session): Promise<void> => {
    await sessions.removeAllOf(userId, digest);
    // Not all of them: the pods must look which are still there.
    await control.announce({ kind: 'user', id: userId, change: 'changed' });
  };
}
