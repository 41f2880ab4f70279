import type { ListedRow, RowRange } from '../domain/page.ts';

export interface Session {
  /** A UUID that names the session in the interface. It is no secret, and tells nothing about the cookie's value. */
  readonly id: string;
  /** SHA-256 of the cookie's value, hexadecimal. The value itself is not stored. */
  readonly digest: string;
  readonly userId: string;
  /** What signed in, as `describeDevice` returns it. Null: unknown. */
  readonly device: string | null;
  /** The client's address at sign-in. Null: unknown. */
  readonly address: string | null;
  readonly createdAt: Date;
  readonly lastSeenAt: Date;
  /** When the session ends, even if it is in use. The caller checks the idle time-out itself, by `lastSeenAt`. */
  readonly expiresAt: Date;
}

/** Selects the sessions of a user that can still be used. */
export interface LiveSessions {
  readonly userId: string;
  /** Only sessions that expire after this time. */
  readonly expireAfter: Date;
  /** Only sessions that were last seen after this time. */
  readonly seenAfter: Date;
}

/** Methods throw `UnavailableError`. */
export interface SessionStore {
  insert(session: Session): Promise<void>;
  /** May return an expired session that the store has not removed yet. */
  find(digest: string): Promise<Session | null>;
  /** Finds a session of this user by its `id`. May return an expired one, as `find` does. */
  findById(userId: string, id: string): Promise<Session | null>;
  /** Newest first: by `createdAt`, then by `id`, both descending. */
  list(selected: LiveSessions, range: RowRange): Promise<readonly ListedRow<Session>[]>;
  /** Counts up to `atMost`. The time grows with the result. */
  count(selected: LiveSessions, atMost: number): Promise<number>;
  recordLastSeen(digest: string, lastSeenAt: Date): Promise<void>;
  remove(digest: string): Promise<void>;
  /** Removes every session of the user except the one with the digest `exceptDigest`, if given. */
  removeAllOf(userId: string, exceptDigest: string | null): Promise<void>;
}
