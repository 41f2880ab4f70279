export interface Session {
  /** SHA-256 of the cookie's value, hexadecimal. The value itself is not stored. */
  readonly digest: string;
  readonly userId: string;
  readonly createdAt: Date;
  readonly lastSeenAt: Date;
  /** When the session ends, even if it is in use. The caller checks the idle time-out itself, by `lastSeenAt`. */
  readonly expiresAt: Date;
}

/** Methods throw `UnavailableError`. */
export interface SessionStore {
  insert(session: Session): Promise<void>;
  /** May return an expired session that the store has not removed yet. */
  find(digest: string): Promise<Session | null>;
  recordLastSeen(digest: string, lastSeenAt: Date): Promise<void>;
  remove(digest: string): Promise<void>;
  /** Removes every session of the user except the one with the digest `exceptDigest`, if given. */
  removeAllOf(userId: string, exceptDigest: string | null): Promise<void>;
}
