/** An outside system that may post hooks. */
export interface Integration {
  readonly id: string;
  readonly name: string;
  /** SHA-256 of the hook token, hexadecimal. */
  readonly tokenDigest: string;
  /** Whether hooks without an id or key of their own count as repetitions when their content is the same. */
  readonly deduplicateByContent: boolean;
  readonly createdAt: Date;
}

/** Throws `UnavailableError`. */
export interface IntegrationStore {
  insert(integration: Integration): Promise<void>;
  findByTokenDigest(digest: string): Promise<Integration | null>;
}
