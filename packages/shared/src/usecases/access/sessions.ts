import { randomBytes } from 'node:crypto';
import { UnavailableError } from '../../domain/errors.ts';
import { sha256Hex } from '../../domain/token.ts';
import { createUuidV7 } from '../../domain/uuid.ts';
import type { Session } from '../../entities/session.ts';
import type { User } from '../../entities/user.ts';
import { type Collection, insertNew, type Where } from '../../ports/collection.ts';
import type { ControlLog } from '../../ports/control-log.ts';
import { type Clock, requestDeadlineMs, withDeadline } from '../../runtime/clock.ts';
import { dropOldest } from '../../runtime/drop-oldest.ts';
import { createSemaphore } from '../../runtime/semaphore.ts';

/**
 * A session ends when it is unused for this long: a working day with its breaks. `SESSION_LIFETIME_MS` ends it earlier,
 * if an operator wants that.
 */
export const sessionIdleMs = 43_200_000;
const sessionIdBytes = 32;
/** The most sessions of a user. A person has few; more are forgotten ones, or a script signs in. */
const sessionsMax = 100;
/** How many excess sessions one sign-in ends. */
const endedAtOnce = 10;
/** `lastSeenAt` is written at most this often. */
const lastSeenIntervalMs = 60_000;
/** How long a request waits for this write at most. The rest of its deadline is for its own work. */
const lastSeenDeadlineMs = 300;
const concurrentLastSeenWritesMax = 8;
/** After a failed write, `lastSeenAt` is not written for this long. */
const lastSeenPauseMs = 5_000;
/**
 * How long an unknown session id is rejected without a read. Short, because right after a failover MongoDB may not find
 * the newest sessions.
 */
const unknownTtlMs = 10_000;
const unknownSessionsMax = 20_000;
const knownSessionsMax = 20_000;
const readLimits = { what: 'find a session', maxRunning: 20, maxWaiting: 2_000, maxWaitMs: requestDeadlineMs } as const;

export interface StartedSession {
  /** The secret for the cookie. The store holds only its digest. */
  readonly sessionId: string;
  readonly session: Session;
}

/** Where a session was started, for people to recognise it by. */
export type SessionOrigin = Pick<Session, 'device' | 'address'>;

export interface SignedIn {
  readonly user: User;
  readonly session: Session;
}

export interface ManageSessionsDeps {
  readonly sessions: Collection<Session>;
  readonly users: Pick<Collection<User>, 'get'>;
  readonly control: Pick<ControlLog, 'announce'>;
  readonly clock: Pick<Clock, 'now' | 'monotonicMs'>;
  readonly sessionLifetimeMs: number;
}

/**
 * Starts, finds and ends sessions. All methods throw `UnavailableError`.
 *
 * Ending a session removes it from the store, then announces it to every pod. Most routes read the session at each
 * request, so it is invalid at once. Routes for widgets and personal streams rely on the announcement. If only the
 * announcement fails, pods notice the end at their next check, within a minute.
 */
export class ManageSessions {
  readonly #deps: ManageSessionsDeps;
  readonly #findKnownSession: ReturnType<typeof makeFindKnownSession>;
  readonly #lastSeen: LastSeenWriter;

  constructor(deps: ManageSessionsDeps) {
    this.#deps = deps;
    this.#findKnownSession = makeFindKnownSession(deps);
    this.#lastSeen = new LastSeenWriter(deps.sessions, deps.clock);
  }

  /** Starts a session of a user under a new random id. Beyond 100 sessions of the user, the oldest ones end. */
  async start(userId: string, { device, address }: SessionOrigin): Promise<StartedSession> {
    const { sessions, clock, sessionLifetimeMs } = this.#deps;
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
    for (const oldest of await sessions.list(this.areLive(userId), { offset: sessionsMax, limit: endedAtOnce })) {
      // A damaged session is accepted nowhere.
      if (oldest !== null) await this.#endQuietly(oldest.digest);
    }
    return { sessionId, session };
  }

  /**
   * Finds the session and the user of a session id. Returns null if the session is unknown or has ended, or if its user
   * is unknown or disabled. `source` says who asks: see `makeFindKnownSession`.
   */
  async find(sessionId: string, source: string): Promise<SignedIn | null> {
    const session = await this.#findKnownSession(sha256Hex(sessionId), source);
    const signedIn = session === null ? null : await findUserOfSession(session, this.#deps);
    if (signedIn !== null) await this.#lastSeen.write(signedIn.session);
    return signedIn;
  }

  /** Selects the sessions of a user that have not ended. */
  areLive(userId: string): Where<Session> {
    const now = this.#deps.clock.now();
    const idleSince = new Date(now.getTime() - sessionIdleMs);
    return { userId, expiresAt: { above: now }, lastSeenAt: { above: idleSince } };
  }

  async end({ digest }: Session): Promise<void> {
    await this.#deps.sessions.remove(digest);
    await this.#deps.control.announce({ kind: 'session', id: digest, change: 'revoked' });
  }

  /** Ends the session of a user with this `id`. Returns false if there is none. */
  async endById(userId: string, id: string): Promise<boolean> {
    const session = await this.#deps.sessions.find({ userId, id });
    if (session !== null) await this.end(session);
    return session !== null;
  }

  /**
   * Ends the session of a session id, because a sign-in replaces it in the browser. Does nothing if there is no such
   * session. Does not throw if only the announcement failed, so that a sign-in succeeds.
   */
  async endReplaced(sessionId: string): Promise<void> {
    const digest = sha256Hex(sessionId);
    if ((await this.#deps.sessions.get(digest)) !== null) await this.#endQuietly(digest);
  }

  /** Ends every session of a user. */
  async endAll(userId: string): Promise<void> {
    await this.#deps.sessions.removeAll({ userId });
    await this.#deps.control.announce({ kind: 'user', id: userId, change: 'revoked' });
  }

  /** Ends every other session of the user of this one. */
  async endOthers({ userId, digest }: Session): Promise<void> {
    await this.#deps.sessions.removeAll({ userId, digest: { not: digest } });
    // `changed`, not `revoked`: one session remains, so the pods must read the sessions again.
    await this.#deps.control.announce({ kind: 'user', id: userId, change: 'changed' });
  }

  /** Ends a session. If the announcement fails, the pods end its streams at their next check. */
  async #endQuietly(digest: string): Promise<void> {
    await this.#deps.sessions.remove(digest);
    try {
      await this.#deps.control.announce({ kind: 'session', id: digest, change: 'revoked' });
    } catch (error) {
      if (!(error instanceof UnavailableError)) throw error;
    }
  }
}

/** Whether a session has reached its lifetime, or has not been used for `sessionIdleMs`. */
export function hasSessionEnded({ expiresAt, lastSeenAt }: Pick<Session, 'expiresAt' | 'lastSeenAt'>, now: Date) {
  return now >= expiresAt || now.getTime() - lastSeenAt.getTime() >= sessionIdleMs;
}

/** Returns null if the session has ended, or if its user is unknown or disabled. Throws `UnavailableError`. */
export async function findUserOfSession(
  session: Session,
  { users, clock }: { readonly users: Pick<Collection<User>, 'get'>; readonly clock: Pick<Clock, 'now'> },
): Promise<SignedIn | null> {
  if (hasSessionEnded(session, clock.now())) return null;
  const user = await users.get(session.userId);
  return user === null || user.disabled ? null : { user, session };
}

/**
 * Writes `lastSeenAt` of sessions. A write that fails with `UnavailableError` does not fail the request: the session
 * itself was read. It skips a write while too many others run, and for a while after a failure. Otherwise a store that
 * accepts no writes would use up the connections that reads need.
 */
export class LastSeenWriter {
  readonly #sessions: Pick<Collection<Session>, 'change'>;
  readonly #clock: Pick<Clock, 'now' | 'monotonicMs'>;
  #runningWrites = 0;
  #pausedUntilMs = Number.NEGATIVE_INFINITY;

  constructor(sessions: Pick<Collection<Session>, 'change'>, clock: Pick<Clock, 'now' | 'monotonicMs'>) {
    this.#sessions = sessions;
    this.#clock = clock;
  }

  /** Writes if that is due, and returns whether it was. */
  async write({ digest, lastSeenAt }: Session): Promise<boolean> {
    const now = this.#clock.now();
    if (now.getTime() - lastSeenAt.getTime() < lastSeenIntervalMs) return false;
    if (this.#runningWrites >= concurrentLastSeenWritesMax) return false;
    if (this.#clock.monotonicMs() < this.#pausedUntilMs) return false;
    this.#runningWrites += 1;
    const write = this.#sessions
      .change(digest, (stored) => (stored.lastSeenAt < now ? { lastSeenAt: now } : null))
      .finally(() => {
        this.#runningWrites -= 1;
      });
    try {
      await withDeadline(write, lastSeenDeadlineMs, 'record when a session was last seen');
    } catch (error) {
      if (!(error instanceof UnavailableError)) throw error;
      this.#pausedUntilMs = this.#clock.monotonicMs() + lastSeenPauseMs;
    }
    return true;
  }
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
function makeFindKnownSession({ sessions, clock }: Pick<ManageSessionsDeps, 'sessions' | 'clock'>) {
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
