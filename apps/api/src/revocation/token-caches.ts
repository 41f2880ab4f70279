import { sha256Hex } from '@widget-service/shared/domain/token.ts';
import {
  findValidToken,
  type Grant,
  type GrantToken,
  whereTokenIsValid,
} from '@widget-service/shared/entities/grant.ts';
import type { Session } from '@widget-service/shared/entities/session.ts';
import type { Collection } from '@widget-service/shared/ports/collection.ts';
import type { ControlLog } from '@widget-service/shared/ports/control-log.ts';
import type { Clock } from '@widget-service/shared/runtime/clock.ts';
import { dropOldest } from '@widget-service/shared/runtime/drop-oldest.ts';
import {
  findUserOfSession,
  hasSessionEnded,
  LastSeenWriter,
  type SignedIn,
} from '@widget-service/shared/usecases/access/sessions.ts';
import { type EntitlementStores, findStreamEntitlement, type StreamEntitlement } from './stream-entitlement.ts';
import { type Evictable, TokenCache } from './token-cache.ts';

/** A grant, and the one of its tokens that the caller presented. */
export interface ResolvedGrant<G extends Grant> {
  readonly grant: G;
  readonly token: GrantToken;
  /** The token is valid before this time. Null: no end is set. */
  readonly validUntil: Date | null;
}

/** Short: a MongoDB server that has just become the primary may lack a new session for a moment. */
const unknownSessionTtlMs = 10_000;

type TokenClock = Pick<Clock, 'now' | 'monotonicMs'>;

/**
 * Creates a token cache over the grants of one kind. Only valid tokens resolve: the current one, and the previous one
 * during a rotation's overlap. `evict(id)` takes a grant id and removes all tokens of that grant. Errors: see
 * `TokenCache.resolve`.
 */
export function createGrantTokenCache<G extends Grant>(
  store: Pick<Collection<G>, 'find'>,
  clock: TokenClock,
  isFresh: () => boolean,
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
export function createStreamTokenCache(
  stores: EntitlementStores,
  clock: TokenClock,
  isFresh: () => boolean,
): TokenCache<StreamEntitlement> {
  return new TokenCache({
    find: async (digest) => {
      const entitlement = await findStreamEntitlement(stores, clock, digest);
      return entitlement === null ? null : { value: entitlement, validUntil: entitlement.validUntil };
    },
    dependsOn: ({ holder }, id) => holder.id === id || (holder.kind === 'session' && holder.userId === id),
    clock,
    isFresh,
  });
}

/**
 * Creates the cache of sessions and their users, by the digest of the session. `evict(id)` takes the digest of a
 * session or the id of a user. Errors: see `TokenCache`.
 */
export function createSessionCache(
  { sessions, users }: Pick<EntitlementStores, 'sessions' | 'users'>,
  clock: TokenClock,
  isFresh: () => boolean,
): TokenCache<SignedIn> {
  return new TokenCache({
    find: async (digest) => {
      const session = await sessions.get(digest);
      const signedIn = session === null ? null : await findUserOfSession(session, { users, clock });
      return signedIn === null ? null : { value: signedIn, validUntil: signedIn.session.expiresAt };
    },
    dependsOn: ({ session, user }, id) => session.digest === id || user.id === id,
    clock,
    isFresh,
    invalidTtlMs: unknownSessionTtlMs,
  });
}

/**
 * Makes the function that returns the session and the user of a session id from the cache, or else from the stores.
 * Null, errors and `source`: see `ManageSessions.find`.
 */
export function makeRecallSession(
  cache: Pick<TokenCache<SignedIn>, 'resolve' | 'forget'>,
  sessions: Pick<Collection<Session>, 'change'>,
  clock: TokenClock,
) {
  const lastSeen = new LastSeenWriter(sessions, clock);
  return async (sessionId: string, source: string): Promise<SignedIn | null> => {
    const signedIn = await cache.resolve(sha256Hex(sessionId), source);
    if (signedIn === null || hasSessionEnded(signedIn.session, clock.now())) return null;
    // The entry keeps the `lastSeenAt` of its read: if it stayed, a write would be due at each request.
    if (await lastSeen.write(signedIn.session)) cache.forget(signedIn.session.digest);
    return signedIn;
  };
}

/**
 * Returns the control log for the use cases of a pod. Before it announces a change, the pod drops its cached sessions
 * that depend on it. The other caches, and the other pods, learn of it from the log.
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

/** The pod writes the last use of a grant at most once in this time. */
const recordEveryMs = 60_000;
/** After a failed write, the pod waits only this long before it writes the last use of that grant again. */
const retryAfterMs = 5_000;
const rememberedGrantsMax = 20_000;

/** Records that a grant was used just now. It returns immediately and never throws. */
export type RecordLastUsed = (grantId: string) => void;

/**
 * Makes the function that records the last use of grants (`lastUsedAt`). It writes in the background, at most once a
 * minute per grant: a request neither waits for the write nor fails with it. A failed write is not repeated by itself:
 * the first use after 5 s writes again. The function remembers the 20 000 grants that it wrote last.
 */
export function makeRecordLastUsed(grants: Pick<Collection<Grant>, 'change'>, clock: TokenClock): RecordLastUsed {
  /** By grant id: the earliest time of its next write (monotonic clock). The grant that was set first comes first. */
  const dueAtMs = new Map<string, number>();
  const setDue = (grantId: string, afterMs: number): void => {
    dueAtMs.delete(grantId);
    dueAtMs.set(grantId, clock.monotonicMs() + afterMs);
    dropOldest(dueAtMs, rememberedGrantsMax);
  };
  return (grantId) => {
    if (clock.monotonicMs() < (dueAtMs.get(grantId) ?? 0)) return;
    setDue(grantId, recordEveryMs);
    const now = clock.now();
    grants
      // Two pods may write in either order.
      .change(grantId, ({ lastUsedAt }) => (lastUsedAt !== null && lastUsedAt >= now ? null : { lastUsedAt: now }))
      .catch(() => setDue(grantId, retryAfterMs));
  };
}
