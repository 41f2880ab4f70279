import { findValidToken, type Grant, type GrantToken } from '@widget-service/shared/domain/grant.ts';
import type { GrantStore } from '@widget-service/shared/ports/grant-store.ts';
import { TokenCache, type TokenCacheDeps } from './token-cache.ts';

/** A grant, and that one of its tokens that it was found by. */
export interface ResolvedGrant<G extends Grant> {
  readonly grant: G;
  readonly token: GrantToken;
  /** From when on the token is no longer good; null: no such time is known yet. */
  readonly validUntil: Date | null;
}

export type GrantCache<G extends Grant> = TokenCache<ResolvedGrant<G>>;

/** A cache over the grants of one kind; a grant is evicted by its id. */
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
    concerns: ({ grant }, id) => grant.id === id,
    clock,
    isFresh,
  });
}
