import { sha256Hex } from '@widget-service/shared/domain/token.ts';
import {
  findValidToken,
  type Grant,
  type GrantToken,
  whereTokenIsValid,
} from '@widget-service/shared/entities/grant.ts';
import type { Session } from '@widget-service/shared/entities/session.ts';
import type { User } from '@widget-service/shared/entities/user.ts';
import type { Collection } from '@widget-service/shared/ports/collection.ts';
import type { ControlLog } from '@widget-service/shared/ports/control-log.ts';
import type { Clock } from '@widget-service/shared/runtime/clock.ts';
import {
  findUserOfSession,
  hasSessionEnded,
  LastSeenWriter,
  type SignedIn,
} from '@widget-service/shared/usecases/access/sessions.ts';
import {
  type FindStreamEntitlementDeps,
  makeFindStreamEntitlement,
  type StreamEntitlement,
} from './stream-entitlement.ts';
import { type Evictable, TokenCache, type TokenCacheDeps } from './token-cache.ts';

/** A grant, and the one of its tokens that the caller presented. */
export interface ResolvedGrant<G extends Grant> {
  readonly grant: G;
  readonly token: GrantToken;
  /** The token is valid before this time. Null: no end is set. */
  readonly validUntil: Date | null;
}

/** A new session has a random id that nobody can have sent before, but the read may hit a MongoDB that lacks it yet. */
const unknownSessionTtlMs = 10_000;

type FreshnessDeps = Pick<TokenCacheDeps<never>, 'clock' | 'isFresh'>;

/**
 * Creates a token cache over the grants of one kind. Only valid tokens resolve: the current one, and the previous one
 * during a rotation's overlap. `evict(id)` takes a grant id and removes all tokens of that grant. Errors: see
 * `TokenCache.resolve`.
 */
export function createGrantTokenCache<G extends Grant>(
  store: Pick<Collection<G>, 'find'>,
  { clock, isFresh }: FreshnessDeps,
): TokenCache<ResolvedGrant<G>> {
  return new TokenCache({
    find: async (digest) => {
      const now = clock.now();
      const grant = await store.find(...whereTokenIsValid(digest, now));
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

export interface SessionCacheDeps extends FreshnessDeps {
  readonly sessions: Pick<Collection<Session>, 'get'>;
  readonly users: Pick<Collection<User>, 'get'>;
}

/**
 * Creates the cache of sessions and their users, by the digest of the session. `evict(id)` takes the digest of a
 * session or the id of a user. Errors: see `TokenCache`.
 */
export function createSessionCache(deps: SessionCacheDeps): TokenCache<SignedIn> {
  const { sessions, clock, isFresh } = deps;
  return new TokenCache({
    find: async (digest) => {
      const session = await sessions.get(digest);
      const signedIn = session === null ? null : await findUserOfSession(session, deps);
      return signedIn === null ? null : { value: signedIn, validUntil: signedIn.session.expiresAt };
    },
    dependsOn: ({ session, user }, id) => session.digest === id || user.id === id,
    clock,
    isFresh,
    invalidTtlMs: unknownSessionTtlMs,
  });
}

export interface RecallSessionDeps {
  readonly cache: Pick<TokenCache<SignedIn>, 'resolve' | 'forget'>;
  readonly sessions: Pick<Collection<Session>, 'change'>;
  readonly clock: Pick<Clock, 'now' | 'monotonicMs'>;
}

/**
 * Makes the function that returns the session and the user of a session id from the cache, or else from the stores.
 * Null, errors and `source`: see `ManageSessions.find`.
 */
export function makeRecallSession({ cache, ...deps }: RecallSessionDeps) {
  const lastSeen = new LastSeenWriter(deps.sessions, deps.clock);
  return async (sessionId: string, source: string): Promise<SignedIn | null> => {
    const signedIn = await cache.resolve(sha256Hex(sessionId), source);
    if (signedIn === null || hasSessionEnded(signedIn.session, deps.clock.now())) return null;
    // The entry has the time of its read: without the next read, each request would write.
    if (await lastSeen.write(signedIn.session)) cache.forget(signedIn.session.digest);
    return signedIn;
  };
}

/**
 * Returns the control log for the use cases of a pod. What the pod itself has changed takes effect on it at once; the
 * other pods read it from the log.
 */
export function announceHereFirst(
  control: Pick<ControlLog, 'announce'>,
  sessions: Pick<Evictable, 'evict'>,
): Pick<ControlLog, 'announce'> {
  return {
    announce: (entry) => {
      sessions.evict(entry.id);
      return control.announce(entry);
    },
  };
}
