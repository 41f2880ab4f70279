import { UnavailableError } from '@widget-service/shared/domain/errors.ts';
import { type EventFilter, noFilter } from '@widget-service/shared/domain/event-filter.ts';
import { isWellFormedToken, sha256Hex } from '@widget-service/shared/domain/token.ts';
import { findValidToken, type Subscription, whereTokenIsValid } from '@widget-service/shared/entities/grant.ts';
import type { PersonalStream, Session } from '@widget-service/shared/entities/session.ts';
import type { User } from '@widget-service/shared/entities/user.ts';
import type { Collection } from '@widget-service/shared/ports/collection.ts';
import type { Clock } from '@widget-service/shared/runtime/clock.ts';
import { hasSessionEnded } from '@widget-service/shared/usecases/access/sessions.ts';
import type { TokenCache } from './token-cache.ts';

/**
 * What the token of a stream belongs to: a subscription, or the session of a signed-in user (a *personal stream*). The
 * id of a session is its digest.
 */
export type StreamHolder =
  | { readonly kind: 'subscription'; readonly id: string }
  | { readonly kind: 'session'; readonly id: string; readonly userId: string };

/** What an open stream may show, and until when. */
export interface StreamEntitlement {
  readonly holder: StreamHolder;
  /** SHA-256 of the token that opened the stream, in hexadecimal. */
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

export interface FindStreamEntitlementDeps {
  readonly subscriptions: Pick<Collection<Subscription>, 'find'>;
  readonly personalStreams: Pick<Collection<PersonalStream>, 'get'>;
  readonly sessions: Pick<Collection<Session>, 'get'>;
  readonly users: Pick<Collection<User>, 'get'>;
  readonly clock: Pick<Clock, 'now'>;
}

/**
 * Makes the function that reads from the stores what a stream token allows. It takes the token's digest, and returns
 * null if the token is unknown, revoked or expired. It always reads both subscriptions and personal streams, so that an
 * unknown token takes as long as a valid one of a subscription. It throws `UnavailableError` if a store is unavailable.
 */
export function makeFindStreamEntitlement(deps: FindStreamEntitlementDeps) {
  return async (digest: string): Promise<StreamEntitlement | null> => {
    const now = deps.clock.now();
    const [subscription, personal] = await Promise.all([
      deps.subscriptions.find(...whereTokenIsValid(digest, now)),
      deps.personalStreams.get(digest),
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

/**
 * A personal stream ends at its own end, with its session, and when its user is disabled or deleted. Every signed-in
 * user may see every event, so it has no filter.
 */
async function findPersonalEntitlement(
  { tokenDigest, userId, sessionDigest, expiresAt }: PersonalStream,
  deps: FindStreamEntitlementDeps,
): Promise<StreamEntitlement | null> {
  // An expired token costs no more reads than an unknown one.
  if (expiresAt <= deps.clock.now()) return null;
  const [session, user] = await Promise.all([deps.sessions.get(sessionDigest), deps.users.get(userId)]);
  if (session === null || hasSessionEnded(session, deps.clock.now())) return null;
  if (user === null || user.disabled) return null;
  const validUntil = expiresAt < session.expiresAt ? expiresAt : session.expiresAt;
  return { holder: { kind: 'session', id: sessionDigest, userId }, tokenDigest, filter: noFilter, validUntil };
}

export interface RecheckEntitlementDeps {
  /** Reads from the stores what a token allows now; see `makeFindStreamEntitlement`. */
  readonly find: (tokenDigest: string) => Promise<StreamEntitlement | null>;
  readonly subscriptions: Pick<Collection<Subscription>, 'get'>;
  readonly clock: Pick<Clock, 'now'>;
}

/**
 * Makes the function that re-checks the entitlement of an open stream in the stores, without the cache. It throws
 * `UnavailableError` if a store is unavailable. It returns
 * - the current entitlement, which may have another filter or end, while the token is valid;
 * - `expired` if the token's time has passed, or if a rotation replaced it;
 * - `revoked` in every other case, for example after a sign-out, or if the session was unused for too long.
 */
export function makeRecheckEntitlement({ find, subscriptions, clock }: RecheckEntitlementDeps) {
  return async ({ holder, tokenDigest, validUntil }: StreamEntitlement): Promise<EntitlementVerdict> => {
    const current = await find(tokenDigest);
    if (current !== null) return { status: 'ok', entitlement: current };
    if (validUntil !== null && validUntil <= clock.now()) return { status: 'expired' };
    // The subscription still exists, so it was rotated past this token, or its end was moved to the past.
    const stillExists = holder.kind === 'subscription' && (await subscriptions.get(holder.id)) !== null;
    return { status: stillExists ? 'expired' : 'revoked' };
  };
}

/** The result of checking the stream token of a request. */
export type StreamTokenVerdict =
  | { readonly status: 'ok'; readonly entitlement: StreamEntitlement }
  /** The token is unknown, malformed, revoked or expired. */
  | { readonly status: 'invalid' }
  /** The token is well-formed, but it is not cached and its store is unavailable. */
  | { readonly status: 'unavailable' };

/**
 * Makes the function that checks a stream token (`wst_…`). It returns `unavailable` instead of throwing
 * `UnavailableError`: the stream route has its own response for that case. Other errors are thrown.
 */
export function makeVerifyStreamToken(cache: Pick<TokenCache<StreamEntitlement>, 'resolve'>) {
  return async (token: string): Promise<StreamTokenVerdict> => {
    if (!isWellFormedToken(token, 'wst')) return { status: 'invalid' };
    try {
      const entitlement = await cache.resolve(sha256Hex(token));
      return entitlement === null ? { status: 'invalid' } : { status: 'ok', entitlement };
    } catch (error) {
      if (error instanceof UnavailableError) return { status: 'unavailable' };
      throw error;
    }
  };
}
