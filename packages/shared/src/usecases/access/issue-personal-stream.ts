import type { LogPosition } from '../../domain/log-position.ts';
import { mintToken, sha256Hex } from '../../domain/token.ts';
import type { PersonalStreamStore } from '../../ports/personal-stream-store.ts';
import type { Session } from '../../ports/session-store.ts';
import type { Clock } from '../../runtime/clock.ts';

const lifetimeMs = 3_600_000;

export interface IssuePersonalStreamDeps {
  readonly personalStreams: Pick<PersonalStreamStore, 'insert'>;
  readonly clock: Pick<Clock, 'now'>;
  /** Returns this pod's position in the event log; null before its first read. */
  readonly tailPosition: () => LogPosition | null;
}

export interface IssuedPersonalStream {
  /** The secret. It can be shown only now: the store holds only its digest. */
  readonly token: string;
  /**
   * The pod's position in the event log: a stream that resumes from here misses no event from now on. Null while the pod
   * has no position.
   */
  readonly resumeFrom: LogPosition | null;
  readonly expiresAt: Date;
}

/**
 * Makes the function that issues a personal stream token to a signed-in user. The token is valid for one hour, or until
 * the session ends if that is sooner. Throws `UnavailableError` when the store did not answer.
 */
export function makeIssuePersonalStream({ personalStreams, clock, tailPosition }: IssuePersonalStreamDeps) {
  return async (session: Session): Promise<IssuedPersonalStream> => {
    const resumeFrom = tailPosition();
    const token = mintToken('wst');
    const expiresAt = new Date(Math.min(clock.now().getTime() + lifetimeMs, session.expiresAt.getTime()));
    const { userId, digest } = session;
    await personalStreams.insert({ tokenDigest: sha256Hex(token), userId, sessionDigest: digest, expiresAt });
    return { token, resumeFrom, expiresAt };
  };
}
