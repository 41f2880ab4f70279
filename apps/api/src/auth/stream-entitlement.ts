import { UnavailableError } from '@widget-service/shared/domain/errors.ts';
import { type EventFilter, noFilter } from '@widget-service/shared/domain/event-filter.ts';
import { findValidToken } from '@widget-service/shared/domain/grant.ts';
import { isWellFormedToken, sha256Hex } from '@widget-service/shared/domain/token.ts';
import type { Subscription, SubscriptionStore } from '@widget-service/shared/ports/grant-store.ts';
import type { PersonalStream, PersonalStreamStore } from '@widget-service/shared/ports/personal-stream-store.ts';
import type { Session, SessionStore } from '@widget-service/shared/ports/session-store.ts';
import type { UserStore } from '@widget-service/shared/ports/user-store.ts';
import type { Clock } from '@widget-service/shared/runtime/clock.ts';
import { TokenCache, type TokenCacheDeps } from './token-cache.ts';

/** Whose token opened a stream: a subscription, or a person's session, by the session's digest. */
export type StreamHolder =
  | { readonly kind: 'subscription'; readonly id: string }
  | { readonly kind: 'session'; readonly id: string; readonly userId: string };

/** What an open stream stands on. */
export interface StreamEntitlement {
  readonly holder: StreamHolder;
  /** SHA-256 of the token that opened it, hexadecimal. */
  readonly tokenDigest: string;
  /** What the stream lets through. */
  readonly filter: EventFilter;
  /** From when on the right is no longer good; null: no such time is known yet. */
  readonly validUntil: Date | null;
}

/** A right looked at again: as it is now, or why there is none any more. */
export type EntitlementDecision = StreamEntitlement | 'revoked' | 'expired';

export interface FindStreamEntitlementDeps {
  readonly subscriptions: Pick<SubscriptionStore, 'findByTokenDigest'>;
  readonly personalStreams: Pick<PersonalStreamStore, 'findByTokenDigest'>;
  readonly sessions: Pick<SessionStore, 'find'>;
  readonly users: Pick<UserStore, 'findById'>;
  readonly clock: Pick<Clock, 'now'>;
  readonly sessionIdleMs: number;
}

/**
 * What a stream token entitles to, by its digest: a subscription's or a person's own. Null for one that is not good
 * (any more). Both stores are asked at once, so that an unknown token costs the same as a known one. Throws
 * `UnavailableError`.
 */
export function makeFindStreamEntitlement(deps: FindStreamEntitlementDeps) {
  return async (digest: string): Promise<StreamEntitlement | null> => {
    const now = deps.clock.now();
    const [subscription, personal] = await Promise.all([
      deps.subscriptions.findByTokenDigest(digest, now),
      deps.personalStreams.findByTokenDigest(digest),
    ]);
    if (subscription !== null) return toSubscriptionEntitlement(subscription, digest, now);
    return personal === null ? null : findPersonalEntitlement(personal, deps);
  };
}

function toSubscriptionEntitlement(
  subscription: Subscription,
  tokenDigest: string,
  now: Date,
): StreamEntitlement | null {
  const valid = findValidToken(subscription, tokenDigest, now);
  if (valid === null) return null;
  const { id, filter } = subscription;
  return { holder: { kind: 'subscription', id }, tokenDigest, filter, validUntil: valid.validUntil };
}

/** A person's own token ends by itself, with its session, and while the person is disabled. */
async function findPersonalEntitlement(
  { tokenDigest, userId, sessionDigest, expiresAt }: PersonalStream,
  deps: FindStreamEntitlementDeps,
): Promise<StreamEntitlement | null> {
  // One that has ended is looked into no further than one that never was.
  if (expiresAt <= deps.clock.now()) return null;
  const [session, user] = await Promise.all([deps.sessions.find(sessionDigest), deps.users.findById(userId)]);
  if (session === null || hasEnded(session, deps.clock.now(), deps.sessionIdleMs)) return null;
  if (user === null || user.disabled) return null;
  const validUntil = expiresAt < session.expiresAt ? expiresAt : session.expiresAt;
  return { holder: { kind: 'session', id: sessionDigest, userId }, tokenDigest, filter: noFilter, validUntil };
}

function hasEnded({ expiresAt, lastSeenAt }: Session, now: Date, idleMs: number): boolean {
  return expiresAt <= now || now.getTime() - lastSeenAt.getTime() >= idleMs;
}

/** Remembers rights by their tokens; one is evicted by the id of its subscription, session or user. */
export function createStreamEntitlementCache(
  deps: FindStreamEntitlementDeps & Pick<TokenCacheDeps<never>, 'clock' | 'isFresh'>,
): TokenCache<StreamEntitlement> {
  const find = makeFindStreamEntitlement(deps);
  return new TokenCache({
    find: async (digest) => {
      const right = await find(digest);
      return right === null ? null : { value: right, validUntil: right.validUntil };
    },
    concerns: ({ holder }, id) => holder.id === id || (holder.kind === 'session' && holder.userId === id),
    clock: deps.clock,
    isFresh: deps.isFresh,
  });
}

export interface LookUpEntitlementDeps {
  /** What a token entitles to now, by its digest; null for one that is not good (any more). */
  readonly find: (tokenDigest: string) => Promise<StreamEntitlement | null>;
  readonly subscriptions: Pick<SubscriptionStore, 'get'>;
  readonly clock: Pick<Clock, 'now'>;
}

/** Looks an open stream's right up again, in the stores themselves. Throws `UnavailableError`. */
export function makeLookUpEntitlement({ find, subscriptions, clock }: LookUpEntitlementDeps) {
  return async ({ holder, tokenDigest, validUntil }: StreamEntitlement): Promise<EntitlementDecision> => {
    const found = await find(tokenDigest);
    if (found !== null) return found;
    if (validUntil !== null && validUntil <= clock.now()) return 'expired';
    // A subscription that is still there has another token by now, or its end was moved to the past.
    const isThere = holder.kind === 'subscription' && (await subscriptions.get(holder.id)) !== null;
    return isThere ? 'expired' : 'revoked';
  };
}

export type StreamTokenVerdict =
  | { readonly status: 'ok'; readonly entitlement: StreamEntitlement }
  /** Also a malformed one. */
  | { readonly status: 'unknown' }
  /** The token has the right form, but the store that knows it cannot be asked. */
  | { readonly status: 'unavailable' };

/** Finds what a stream token entitles to. It does not throw for a store's failure: a stream must say so itself. */
export function makeVerifyStreamToken(cache: Pick<TokenCache<StreamEntitlement>, 'resolve'>) {
  return async (token: string): Promise<StreamTokenVerdict> => {
    if (!isWellFormedToken(token, 'wst')) return { status: 'unknown' };
    try {
      const entitlement = await cache.resolve(sha256Hex(token));
      return entitlement === null ? { status: 'unknown' } : { status: 'ok', entitlement };
    } catch (error) {
      if (error instanceof UnavailableError) return { status: 'unavailable' };
      throw error;
    }
  };
}
