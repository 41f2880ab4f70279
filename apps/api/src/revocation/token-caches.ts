import { findValidToken, type Grant, type GrantToken } from '@widget-service/shared/domain/grant.ts';
import type { GrantStore } from '@widget-service/shared/ports/grant-store.ts';
import {
  type FindStreamEntitlementDeps,
  makeFindStreamEntitlement,
  type StreamEntitlement,
} from './stream-entitlement.ts';
import { TokenCache, type TokenCacheDeps } from './token-cache.ts';

/** A grant, and the one of its tokens that the caller presented. */
export interface ResolvedGrant<G extends Grant> {
  readonly grant: G;
  readonly token: GrantToken;
  /** The token is valid before this time. Null: no end is set. */
  readonly validUntil: Date | null;
}

type FreshnessDeps = Pick<TokenCacheDeps<never>, 'clock' | 'isFresh'>;

/**
 * Creates a token cache over the grants of one kind. Only valid tokens resolve: the current one, and the previous one
 * during a rotation's overlap. `evict(id)` takes a grant id and removes all tokens of that grant. Errors: see
 * `TokenCache.resolve`.
 */
export function createGrantTokenCache<G extends Grant>(
  store: Pick<GrantStore<G>, 'findByTokenDigest'>,
  { clock, isFresh }: FreshnessDeps,
): TokenCache<ResolvedGrant<G>> {
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

/**
 * Creates the token cache of stream tokens. `evict(id)` takes the id of a subscription, the digest of a session or the
 * id of a user. Errors: see `TokenCache`.
 */
export function createStreamTokenCache(deps: FindStreamEntitlementDeps & FreshnessDeps): TokenCache<StreamEntitlement> {
  const find = makeFindStreamEntitlement(deps);
  return new TokenCache({
    find: async (digest) => {
      const entitlement = await find(digest);
      return entitlement === null ? null : { value: entitlement, validUntil: entitlement.validUntil };
    },
    dependsOn: ({ holder }, id) => holder.id === id || (holder.kind === 'session' && holder.userId === id),
    clock: deps.clock,
    isFresh: deps.isFresh,
  });
}
