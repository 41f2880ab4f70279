import type { LogPosition } from '../../domain/log-position.ts';
import { mintToken, sha256Hex } from '../../domain/token.ts';
import type { PersonalStreamStore } from '../../ports/personal-stream-store.ts';
import type { Session } from '../../ports/session-store.ts';
import type { Clock } from '../../runtime/clock.ts';

const lifetimeMs = 3_600_000;

export interface IssuePersonalStreamDeps {
  readonly personalStreams: Pick<PersonalStreamStore, 'insert'>;
  readonly clock: Pick<Clock, 'now'>;
  /** How far this pod has read the event log; null before it has reached it. */
  readonly tailPosition: () => LogPosition | null;
}

export interface IssuedPersonalStream {
  /** The secret, to be shown once: only its digest is stored. */
  readonly token: string;
  /** A stream that resumes from here misses nothing from now on; null while the pod knows no position. */
  readonly cursor: LogPosition | null;
  readonly expiresAt: Date;
}

/** Gives a signed-in person a stream token of their own, for an hour, or until the session ends if that is sooner. */
export function makeIssuePersonalStream({ personalStreams, clock, tailPosition }: IssuePersonalStreamDeps) {
  return async (session: Session): Promise<IssuedPersonalStream> => {
    const cursor = tailPosition();
    const token = mintToken('wst');
    const expiresAt = new Date(Math.min(clock.now().getTime() + lifetimeMs, session.expiresAt.getTime()));
    const { userId, digest } = session;
    await personalStreams.insert({ tokenDigest: sha256Hex(token), userId, sessionDigest: digest, expiresAt });
    return { token, cursor, expiresAt };
  };
}
