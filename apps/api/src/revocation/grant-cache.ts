import { findValidToken, type Grant, type GrantToken } from '@widget-service/shared/domain/grant.ts';
import type { GrantStore } from '@widget-service/shared/ports/grant-store.ts';
import { TokenCache, type TokenCacheDeps } from './token-cache.ts';

/** A grant, and the one of its tokens that the caller presented. */
export interface ResolvedGrant<G extends Grant> {
  readonly grant: G;
  readonly token: GrantToken;
  /** The token is valid before this time. Null: no end is set. */
  readonly validUntil: Date | null;
}

/** A token cache whose values are grants. Keys are token digests. */
export type GrantCache<G extends Grant> = TokenCache<ResolvedGrant<G>>;

/**
 * Creates a token cache over the grants of one kind. Only valid tokens resolve: the current one, and the previous one
 * during a rotation's overlap. `evict(id)` takes a grant id and removes all tokens of that grant. Errors: see
 * `TokenCache.resolve`.
 */
export function createGrantCache<G extends Grant>(
  store: Pick<GrantStore<G, never>, 'findByTokenDigest'>,
  { clock, isFresh }: Pick<TokenCacheDeps<never>, 'clock' | 'isFresh'>,
): GrantCache<G> {
  return new TokenCache({
    find: async (digest) => {
      const now = clock.now();
      const grant = await store.findByTokenDigest(digest, now);
      const valid = grant === null ? null : findValidToken(grant, digest, now);
      return grant === null || valid === null ? null : { value: { grant, ...valid }, validUntil: valid.validUntil };
    },
    dependsOn: ({ grant }, id) => grant.id === id,
    clock,
    isFresh,
  });
}
