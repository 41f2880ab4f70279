import type { EventFilter } from '../domain/event-filter.ts';
import type { Grant, GrantToken, PreviousToken } from '../domain/grant.ts';
import type { HookSource } from '../domain/hook-source.ts';
import type { ListedRow, RowRange } from '../domain/page.ts';
import type { Permission } from '../domain/role.ts';

/** Replaces the tokens of a grant, for a rotation. */
export interface TokenReplacement {
  /** The grant as the caller read it. If its tokens or their secrets are others now, another change came first. */
  readonly replaced: { readonly token: GrantToken; readonly previousToken: GrantToken | null };
  readonly token: GrantToken;
  readonly tokenIssuedAt: Date;
  readonly previousToken: PreviousToken | null;
  /** A new `expiresAt`, written only if `replaced` is still the current one. Left out: it stays as it is. */
  readonly expiry?: { readonly replaced: Date | null; readonly value: Date | null };
}

/** Selects grants in a list, by every member that is given. Left out: all. */
export interface GrantSelection {
  readonly createdBefore?: Date | undefined;
  /** Only grants that expire before this time, or have expired already. */
  readonly expiresBefore?: Date | undefined;
  /** Only grants whose name contains this text. Letters from A to Z match in either case, all others exactly. */
  readonly name?: string | undefined;
}

/**
 * Grants of one kind: subscriptions, integrations or provision tokens. `Changes` are the members that may change later:
 * left out by a caller that changes none.
 * A write is durable (cluster: on a majority) before its promise resolves. Methods throw `UnavailableError`.
 */
export interface GrantStore<G extends Grant, Changes = never> {
  insert(grant: G): Promise<void>;
  /**
   * Finds the grant whose current or previous token has this digest. With `validAt`, returns it only if that token is
   * valid at that time, by the rules of `findValidToken`. The store itself filters, so that reading an expired token
   * takes as long as reading an unknown one: response times reveal nothing.
   */
  findByTokenDigest(digest: string, validAt?: Date): Promise<G | null>;
  get(id: string): Promise<G | null>;
  /** Returns the names of the grants with these ids, in one read. An id without a grant is left out. */
  getNames(ids: readonly string[]): Promise<ReadonlyMap<string, string>>;
  /** Newest first: by `createdAt`, then by `id`, both descending. */
  list(selection: GrantSelection, range: RowRange): Promise<readonly ListedRow<G>[]>;
  /** Counts up to `atMost`. The time grows with the result. */
  count(selection: GrantSelection, atMost: number): Promise<number>;
  /** Changes the given members and returns the changed grant. Returns null if there is no such grant. */
  update(id: string, changes: Changes): Promise<G | null>;
  /**
   * Returns the changed grant. Returns null and changes nothing if no grant has this id, the digests and sealed secrets
   * of `replaced`, and `expiry.replaced` as its current expiry.
   */
  replaceTokens(id: string, replacement: TokenReplacement): Promise<G | null>;
  /** Returns false and changes nothing unless the previous token of this grant has this digest. */
  endPreviousToken(id: string, digest: string): Promise<boolean>;
  /** Returns false if there is no such grant. */
  remove(id: string): Promise<boolean>;
  /** Sets `lastUsedAt` unless it is already later. */
  recordLastUsed(id: string, at: Date): Promise<void>;
}

/** A grant to open streams, with a filter. */
export interface Subscription extends Grant {
  readonly filter: EventFilter;
}

type SubscriptionChanges = Partial<Pick<Subscription, 'name' | 'filter' | 'expiresAt'>>;

export type SubscriptionStore = GrantStore<Subscription, SubscriptionChanges>;

/**
 * A grant to post hooks. Without a `source`, they must be signed if the token has a sealed secret. With one, the source
 * says how they are signed, and the secrets are sealed with each token (`sealed-for-token.ts`).
 */
export interface Integration extends Grant {
  /** Whether two hooks without an id or key are duplicates if their content is the same. */
  readonly deduplicateByContent: boolean;
  /** Hooks per second. Null: the service's setting `HOOK_RATE_PER_SECOND`. */
  readonly rate: number | null;
  /** How it understands a foreign sender. Null: its hooks are those of the interface. */
  readonly source: HookSource | null;
}

type IntegrationChanges = Partial<Pick<Integration, 'name' | 'deduplicateByContent' | 'rate' | 'source' | 'expiresAt'>>;

export type IntegrationStore = GrantStore<Integration, IntegrationChanges>;

/**
 * A grant to use the API without signing in, within `permissions`: today only to create widgets. A script sends its
 * token as `Authorization: Bearer`.
 */
export interface ProvisionToken extends Grant {
  readonly permissions: readonly Permission[];
}

type ProvisionTokenChanges = Partial<Pick<ProvisionToken, 'name' | 'permissions' | 'expiresAt'>>;

export type ProvisionTokenStore = GrantStore<ProvisionToken, ProvisionTokenChanges>;
