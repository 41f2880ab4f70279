/** The right to read the event stream. */
export interface Subscription {
  readonly id: string;
  readonly name: string;
  /** SHA-256 of the stream token, hexadecimal. */
  readonly tokenDigest: string;
  readonly createdAt: Date;
}

/** Throws `UnavailableError`. */
export interface SubscriptionStore {
  insert(subscription: Subscription): Promise<void>;
  findByTokenDigest(digest: string): Promise<Subscription | null>;
}
