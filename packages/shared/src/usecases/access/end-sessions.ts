import type { ControlLog } from '../../ports/control-log.ts';
import type { Session, SessionStore } from '../../ports/session-store.ts';

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
export function createEndSession({ sessions, control }: EndSessionsDeps) {
  return async ({ digest }: Session): Promise<void> => {
    await sessions.remove(digest);
    await control.announce({ kind: 'session', id: digest, change: 'revoked' });
  };
}

/** Ends every session of a user, on every pod. */
export function createEndAllSessions({ sessions, control }: EndSessionsDeps) {
  return async (userId: string): Promise<void> => {
    await sessions.removeAllOf(userId, null);
    await control.announce({ kind: 'user', id: userId, change: 'revoked' });
  };
}

/** Ends every session of a user but this one, on every pod. */
export function createEndOtherSessions({ sessions, control }: EndSessionsDeps) {
  return async ({ userId, digest }: Session): Promise<void> => {
    await sessions.removeAllOf(userId, digest);
    // Not all of them: the pods must look which are still there.
    await control.announce({ kind: 'user', id: userId, change: 'changed' });
  };
}
