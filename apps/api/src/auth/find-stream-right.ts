import { noFilter } from '@widget-service/shared/domain/event-filter.ts';
import { validTokenOf } from '@widget-service/shared/domain/grant.ts';
import type { PersonalStream, PersonalStreamStore } from '@widget-service/shared/ports/personal-stream-store.ts';
import type { Session, SessionStore } from '@widget-service/shared/ports/session-store.ts';
import type { Subscription, SubscriptionStore } from '@widget-service/shared/ports/subscription-store.ts';
import type { UserStore } from '@widget-service/shared/ports/user-store.ts';
import type { Clock } from '@widget-service/shared/runtime/clock.ts';
import type { StreamRight } from '../stream/stream-right.ts';
import { TokenCache, type TokenCacheDeps } from './token-cache.ts';

export interface FindStreamRightDeps {
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
export function createFindStreamRight(deps: FindStreamRightDeps) {
  return async (digest: string): Promise<StreamRight | null> => {
    const now = deps.clock.now();
    const [subscription, personal] = await Promise.all([
      deps.subscriptions.findByTokenDigest(digest, now),
      deps.personalStreams.findByTokenDigest(digest),
    ]);
    if (subscription !== null) return rightOf(subscription, digest, now);
    return personal === null ? null : personalRightOf(personal, deps);
  };
}

function rightOf(subscription: Subscription, tokenDigest: string, now: Date): StreamRight | null {
  const valid = validTokenOf(subscription, tokenDigest, now);
  if (valid === null) return null;
  const { id, filter } = subscription;
  return { holder: { kind: 'subscription', id }, tokenDigest, filter, validUntil: valid.validUntil };
}

/** A person's own token ends by itself, with its session, and while the person is disabled. */
async function personalRightOf(
  { tokenDigest, userId, sessionDigest, expiresAt }: PersonalStream,
  deps: FindStreamRightDeps,
): Promise<StreamRight | null> {
  // One that has ended is looked into no further than one that never was.
  if (expiresAt <= deps.clock.now()) return null;
  const [session, user] = await Promise.all([deps.sessions.find(sessionDigest), deps.users.findById(userId)]);
  if (session === null || isOver(session, deps.clock.now(), deps.sessionIdleMs)) return null;
  if (user === null || user.disabled) return null;
  const validUntil = expiresAt < session.expiresAt ? expiresAt : session.expiresAt;
  return { holder: { kind: 'session', id: sessionDigest, userId }, tokenDigest, filter: noFilter, validUntil };
}

function isOver({ expiresAt, lastSeenAt }: Session, now: Date, idleMs: number): boolean {
  return expiresAt <= now || now.getTime() - lastSeenAt.getTime() >= idleMs;
}

/** Remembers rights by their tokens; one is evicted by the id of its subscription, session or user. */
export function createStreamRightCache(
  deps: FindStreamRightDeps & Pick<TokenCacheDeps<never>, 'clock' | 'isCurrent'>,
): TokenCache<StreamRight> {
  const find = createFindStreamRight(deps);
  return new TokenCache({
    find: async (digest) => {
      const right = await find(digest);
      return right === null ? null : { value: right, validUntil: right.validUntil };
    },
    concerns: ({ holder }, id) => holder.id === id || (holder.kind === 'session' && holder.userId === id),
    clock: deps.clock,
    isCurrent: deps.isCurrent,
  });
}
