/**
 * The token of a personal stream, which a signed-in user opens in the browser. The stream ends with the session, and at
 * `expiresAt` at the latest.
 */
export interface PersonalStream {
  /** SHA-256 of the token, hexadecimal. */
  readonly tokenDigest: string;
  readonly userId: string;
  readonly sessionDigest: string;
  /** Orders the streams of a user. */
  readonly issuedAt: Date;
  readonly expiresAt: Date;
}

/** Methods throw `UnavailableError`. */
export interface PersonalStreamStore {
  insert(stream: PersonalStream): Promise<void>;
  /**
   * Of the user's streams that expire after `now`, removes all but the `keep` that were issued last. Streams of one
   * millisecond have a fixed order. Returns the digests of the sessions that lost a stream, each once.
   */
  removeOldest(userId: string, keep: number, now: Date): Promise<readonly string[]>;
  /** May return an expired stream that the store has not removed yet. */
  findByTokenDigest(digest: string): Promise<PersonalStream | null>;
}
