import { UnavailableError } from '@widget-service/shared/domain/errors.ts';
import { type EventFilter, noFilter } from '@widget-service/shared/domain/event-filter.ts';
import { isWellFormedToken, sha256Hex } from '@widget-service/shared/domain/token.ts';
import { findValidToken, type Subscription, whereTokenIsValid } from '@widget-service/shared/entities/grant.ts';
import type { Session } from '@widget-service/shared/entities/session.ts';
import type { User } from '@widget-service/shared/entities/user.ts';
import type { Collection } from '@widget-service/shared/ports/collection.ts';
import type { Clock } from '@widget-service/shared/runtime/clock.ts';
import { findUserOfSession } from '@widget-service/shared/usecases/access/sessions.ts';
import type { TokenCache } from './token-cache.ts';

/**
 * What a stream belongs to: a subscription, or the session of a signed-in user (a *personal stream*). The id of a
 * session is its digest.
 */
export type StreamHolder =
  | { readonly kind: 'subscription'; readonly id: string }
  | { readonly kind: 'session'; readonly id: string; readonly userId: string };

/** What an open stream may show, and until when. */
export interface StreamEntitlement {
  readonly holder: StreamHolder;
  /** SHA-256 of the token that opened the stream, or of the session id, in hexadecimal. */
  readonly tokenDigest: string;
  /** The events that the stream may show. */
  readonly filter: EventFilter;
  /** The entitlement is valid before this time. Null: no end is set. */
  readonly validUntil: Date | null;
}

/** The result of re-checking an entitlement: its current state, or that it has ended, and why. */
export type EntitlementVerdict =
  | { readonly status: 'ok'; readonly entitlement: StreamEntitlement }
  | { readonly status: 'revoked' }
  | { readonly status: 'expired' };

/** The stores that say what a stream may show. */
export interface EntitlementStores {
  readonly subscriptions: Pick<Collection<Subscription>, 'find' | 'get'>;
  readonly sessions: Pick<Collection<Session>, 'get'>;
  readonly users: Pick<Collection<User>, 'get'>;
}

/**
 * Reads from the stores what a stream token or a session allows, by its digest. Returns null if it is unknown, revoked
 * or expired. Always reads both subscriptions and sessions, so that an unknown token takes as long as a valid one.
 * Throws `UnavailableError` if a store is unavailable.
 */
export async function findStreamEntitlement(
  { subscriptions, sessions, users }: EntitlementStores,
  clock: Pick<Clock, 'now'>,
  digest: string,
): Promise<StreamEntitlement | null> {
  const now = clock.now();
  const [subscription, session] = await Promise.all([
    subscriptions.find(...whereTokenIsValid(digest, now)),
    sessions.get(digest),
  ]);
  if (subscription !== null) return toSubscriptionEntitlement(subscription, digest, now);
  const signedIn = session === null ? null : await findUserOfSession(session, { users, clock });
  // Every signed-in user may see every event, so there is no filter.
  return signedIn === null ? null : toSessionEntitlement(signedIn.session);
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

function toSessionEntitlement({ digest, userId, expiresAt }: Session): StreamEntitlement {
  const holder = { kind: 'session', id: digest, userId } as const;
  return { holder, tokenDigest: digest, filter: noFilter, validUntil: expiresAt };
}

/**
 * Re-checks the entitlement of an open stream in the stores, without the cache. Throws `UnavailableError` if a store is
 * unavailable. Returns
 * - the current entitlement, which may have another filter or end, while the token is valid;
 * - `expired` if the token's time has passed, or if a rotation replaced it;
 * - `revoked` in every other case, for example after a sign-out, or if the session was unused for too long.
 */
export async function recheckEntitlement(
  stores: EntitlementStores,
  clock: Pick<Clock, 'now'>,
  { holder, tokenDigest, validUntil }: StreamEntitlement,
): Promise<EntitlementVerdict> {
  const current = await findStreamEntitlement(stores, clock, tokenDigest);
  if (current !== null) return { status: 'ok', entitlement: current };
  if (validUntil !== null && validUntil <= clock.now()) return { status: 'expired' };
  // The subscription still exists, so a rotation has replaced this token, or the expiry was moved to the past.
  const stillExists = holder.kind === 'subscription' && (await stores.subscriptions.get(holder.id)) !== null;
  return { status: stillExists ? 'expired' : 'revoked' };
}

/** The result of checking the stream token or the session of a request. */
export type StreamTokenVerdict =
  | { readonly status: 'ok'; readonly entitlement: StreamEntitlement }
  /** It is unknown, malformed, revoked or expired. */
  | { readonly status: 'invalid' }
  /** The token is well-formed and not cached, and the store is unavailable. */
  | { readonly status: 'unavailable' };

type StreamTokenCache = Pick<TokenCache<StreamEntitlement>, 'resolve'>;

/**
 * Checks the digest of a session. Returns `unavailable` instead of throwing `UnavailableError`: the stream route has
 * its own response for that case. Other errors are thrown.
 */
export async function verifyStreamSession(cache: StreamTokenCache, digest: string): Promise<StreamTokenVerdict> {
  try {
    const entitlement = await cache.resolve(digest);
    return entitlement === null ? { status: 'invalid' } : { status: 'ok', entitlement };
  } catch (error) {
    if (error instanceof UnavailableError) return { status: 'unavailable' };
    throw error;
  }
}

/** Checks a stream token (`wst_…`), as `verifyStreamSession` checks a session. */
export async function verifyStreamToken(cache: StreamTokenCache, token: string): Promise<StreamTokenVerdict> {
  return isWellFormedToken(token, 'wst') ? verifyStreamSession(cache, sha256Hex(token)) : { status: 'invalid' };
}
