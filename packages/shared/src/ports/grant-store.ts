import type { Grant, GrantToken, PreviousToken } from '../domain/grant.ts';

/** Rows to skip and rows to return at most. */
export interface Range {
  readonly offset: number;
  readonly limit: number;
}

/**
 * Grants of one kind: subscriptions, integrations or provision tokens. `Changes` are the members that may be changed
 * afterwards. Writes are durable (cluster: majority) before their promise resolves. Throws `UnavailableError`.
 */
export interface GrantStore<G extends Grant, Changes> {
  insert(grant: G): Promise<void>;
  /** By its token's digest or its previous token's, whether they are still good or not: that is `validTokenOf`'s. */
  findByTokenDigest(digest: string): Promise<G | null>;
  get(id: string): Promise<G | null>;
  /** Newest first: by `createdAt`, then by `id`, both falling; and how many there are in all. */
  list(range: Range): Promise<{ readonly items: readonly G[]; readonly totalItems: number }>;
  /** Changes the given members and returns the grant as it is then; null when there is none. */
  update(id: string, changes: Changes): Promise<G | null>;
  /** Replaces the tokens and returns the grant as it is then; null when there is none. */
  replaceTokens(id: string, token: GrantToken, previousToken: PreviousToken | null): Promise<G | null>;
  /** False when there is none (any more). */
  remove(id: string): Promise<boolean>;
  /** Moves `lastUsedAt` forwards, never back. */
  touch(id: string, at: Date): Promise<void>;
}
