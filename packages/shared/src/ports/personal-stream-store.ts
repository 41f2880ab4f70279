/** A stream token that a signed-in person was given for their own page; it ends with their session. */
export interface PersonalStream {
  /** SHA-256 of the token, hexadecimal. */
  readonly tokenDigest: string;
  readonly userId: string;
  readonly sessionDigest: string;
  readonly expiresAt: Date;
}

/** Throws `UnavailableError`. */
export interface PersonalStreamStore {
  insert(stream: PersonalStream): Promise<void>;
  /** Also one that is over, while the store has not removed it. */
  findByTokenDigest(digest: string): Promise<PersonalStream | null>;
}
