/**
 * The token of a personal stream, which a signed-in user opens in the browser. The stream ends with the session, and at
 * `expiresAt` at the latest.
 */
export interface PersonalStream {
  /** SHA-256 of the token, hexadecimal. */
  readonly tokenDigest: string;
  readonly userId: string;
  readonly sessionDigest: string;
  readonly expiresAt: Date;
}

/** Methods throw `UnavailableError`. */
export interface PersonalStreamStore {
  insert(stream: PersonalStream): Promise<void>;
  /** May return an expired stream that the store has not removed yet. */
  findByTokenDigest(digest: string): Promise<PersonalStream | null>;
}
