export interface Session {
  /** SHA-256 of the cookie's value, hexadecimal; the value itself is stored nowhere. */
  readonly digest: string;
  readonly userId: string;
  readonly createdAt: Date;
  readonly lastSeenAt: Date;
  /** The absolute end. The idle end is the reader's to check, against `lastSeenAt`. */
  readonly expiresAt: Date;
}

/** Throws `UnavailableError`. */
export interface SessionStore {
  insert(session: Session): Promise<void>;
  /** Also a session that is over, while the store has not removed it. */
  find(digest: string): Promise<Session | null>;
  recordLastSeen(digest: string, lastSeenAt: Date): Promise<void>;
  remove(digest: string): Promise<void>;
  /** Removes every session of the user, but not the one with the digest `exceptDigest`, if one is given. */
  removeAllOf(userId: string, exceptDigest: string | null): Promise<void>;
}
