import { UnavailableError } from '../../domain/errors.ts';
import type { LogPosition } from '../../domain/log-position.ts';
import { mintToken, sha256Hex } from '../../domain/token.ts';
import type { PersonalStream, Session } from '../../entities/session.ts';
import { type Collection, insertNew } from '../../ports/collection.ts';
import type { ControlLog } from '../../ports/control-log.ts';
import type { Clock } from '../../runtime/clock.ts';

const lifetimeMs = 3_600_000;
/** As many as one user may have open streams on a pod by default. A page that is reloaded gets a token each time. */
const liveTokensMax = 100;
/** How many are removed at once. A call adds one. */
const removedAtOnce = 100;

export interface IssuePersonalStreamDeps {
  readonly personalStreams: Pick<Collection<PersonalStream>, 'insert' | 'list' | 'removeAll'>;
  readonly control: Pick<ControlLog, 'announce'>;
  readonly clock: Pick<Clock, 'now'>;
  /** Returns this pod's position in the event log; null before its first read. */
  readonly tailPosition: () => LogPosition | null;
}

export interface IssuedPersonalStream {
  /** The secret. It can be shown only now: the store holds only its digest. */
  readonly token: string;
  /**
   * The pod's position in the event log: a stream that resumes from here misses no event from now on. Null while the
   * pod has no position.
   */
  readonly resumeFrom: LogPosition | null;
  readonly expiresAt: Date;
}

/**
 * Makes the function that issues a personal stream token to a signed-in user. The token is valid for one hour, or until
 * the session ends if that is sooner. A user has at most 100 live tokens: beyond that, the oldest ends, and its streams
 * within 2 s, or within a minute if the control log is unavailable. Throws `UnavailableError` when the store did not
 * answer.
 */
export function makeIssuePersonalStream(deps: IssuePersonalStreamDeps) {
  const { personalStreams, control, clock, tailPosition } = deps;

  /** Inserts first: concurrent calls, also on other pods, then leave no more than the newest. */
  async function insertNewest(stream: PersonalStream): Promise<void> {
    await insertNew(personalStreams, stream);
    const live = { userId: stream.userId, expiresAt: { above: stream.issuedAt } };
    const found = await personalStreams.list(live, { offset: liveTokensMax, limit: removedAtOnce });
    const oldest = found.filter((other) => other !== null);
    if (oldest.length === 0) return;
    await personalStreams.removeAll({ tokenDigest: { oneOf: oldest.map(({ tokenDigest }) => tokenDigest) } });
    for (const id of new Set(oldest.map(({ sessionDigest }) => sessionDigest))) {
      // `changed`: only one token of the session has ended, so the pods must read again which ones did. Nobody waits
      // for this end, so a failure does not fail the request.
      await control.announce({ kind: 'session', id, change: 'changed' }).catch(ignoreUnavailable);
    }
  }

  return async (session: Session): Promise<IssuedPersonalStream> => {
    const resumeFrom = tailPosition();
    const token = mintToken('wst');
    const issuedAt = clock.now();
    const expiresAt = new Date(Math.min(issuedAt.getTime() + lifetimeMs, session.expiresAt.getTime()));
    const { userId, digest } = session;
    await insertNewest({ tokenDigest: sha256Hex(token), userId, sessionDigest: digest, issuedAt, expiresAt });
    return { token, resumeFrom, expiresAt };
  };
}

function ignoreUnavailable(error: unknown): void {
  if (!(error instanceof UnavailableError)) throw error;
}
