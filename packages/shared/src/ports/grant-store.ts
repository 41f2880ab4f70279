import type { EventFilter } from '../domain/event-filter.ts';
import type { Grant, GrantToken, PreviousToken } from '../domain/grant.ts';
import type { Permission } from '../domain/role.ts';

/** Rows to skip and rows to return at most. */
export interface RowRange {
  readonly offset: number;
  readonly limit: number;
}

/** What a rotation does to a grant's tokens. */
export interface TokenReplacement {
  /** The digest of the token to be replaced: when it is no longer the grant's, another rotation was first. */
  readonly replacedDigest: string;
  readonly token: GrantToken;
  readonly previousToken: PreviousToken | null;
}

/**
 * Grants of one kind: subscriptions, integrations or provision tokens. `Changes` are the members that may be changed
 * afterwards. Writes are durable (cluster: majority) before their promise resolves. Throws `UnavailableError`.
 */
export interface GrantStore<G extends Grant, Changes> {
  insert(grant: G): Promise<void>;
  /**
   * By its token's digest or its previous token's. With a time, only where that token is still good then, as
   * `validTokenOf` judges: so that what has ended cannot be told from what never was by the time that reading it takes.
   */
  findByTokenDigest(digest: string, goodAt?: Date): Promise<G | null>;
  get(id: string): Promise<G | null>;
  /** Newest first: by `createdAt`, then by `id`, both falling; and how many there are in all. */
  list(range: RowRange): Promise<{ readonly items: readonly G[]; readonly totalItems: number }>;
  /** Changes the given members and returns the grant as it is then; null when there is none. */
  update(id: string, changes: Changes): Promise<G | null>;
  /** Replaces the tokens and returns the grant as it is then; null when there is none with the replaced token. */
  replaceTokens(id: string, replacement: TokenReplacement): Promise<G | null>;
  /** False when there is none (any more). */
  remove(id: string): Promise<boolean>;
  /** Moves `lastUsedAt` forwards, never back. */
  recordLastUsed(id: string, at: Date): Promise<void>;
}

/** The right to read the event stream. */
export interface Subscription extends Grant {
  readonly filter: EventFilter;
}

type SubscriptionChanges = Partial<Pick<Subscription, 'name' | 'filter' | 'expiresAt'>>;

export type SubscriptionStore = GrantStore<Subscription, SubscriptionChanges>;

/** An outside system that may post hooks; signed ones where its token has a sealed secret. */
export interface Integration extends Grant {
  /** Whether hooks without an id or key of their own count as repetitions when their content is the same. */
  readonly deduplicateByContent: boolean;
  /** Hooks per second; null: as the service is set. */
  readonly rate: number | null;
}

type IntegrationChanges = Partial<Pick<Integration, 'name' | 'deduplicateByContent' | 'rate' | 'expiresAt'>>;

export type IntegrationStore = GrantStore<Integration, IntegrationChanges>;

/** What a script signs its requests with, as `Authorization: Bearer`. */
export interface ProvisionToken extends Grant {
  readonly permissions: readonly Permission[];
}

type ProvisionTokenChanges = Partial<Pick<ProvisionToken, 'name' | 'permissions' | 'expiresAt'>>;

export type ProvisionTokenStore = GrantStore<ProvisionToken, ProvisionTokenChanges>;
