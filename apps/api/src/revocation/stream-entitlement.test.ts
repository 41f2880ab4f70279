import { noFilter } from '@widget-service/shared/domain/event-filter.ts';
import type { Subscription } from '@widget-service/shared/entities/grant.ts';
import type { Session } from '@widget-service/shared/entities/session.ts';
import { buildUser, type User } from '@widget-service/shared/entities/user.ts';
import type { Where } from '@widget-service/shared/ports/collection.ts';
import { sessionIdleMs } from '@widget-service/shared/usecases/access/sessions.ts';
import { describe, expect, test } from 'vitest';
import { findStreamEntitlement } from './stream-entitlement.ts';
import { createStreamTokenCache } from './token-caches.ts';

const now = new Date('2026-03-01T10:00:00Z');
const inSeconds = (seconds: number) => new Date(now.getTime() + seconds * 1_000);

const subscription: Subscription = {
  id: 'subscription',
  name: 'screen',
  filter: { ...noFilter, labels: ['red'] },
  token: { digest: 'new', sealedSecret: null },
  previousToken: { digest: 'old', sealedSecret: null, expiresAt: inSeconds(60) },
  expiresAt: inSeconds(3_600),
  tokenIssuedAt: inSeconds(-60),
  createdAt: inSeconds(-60),
  createdBy: crypto.randomUUID(),
  lastUsedAt: null,
};
const session: Session = {
  id: 'session id',
  device: null,
  address: null,
  digest: 'session',
  userId: 'ann',
  createdAt: inSeconds(-600),
  lastSeenAt: inSeconds(-299),
  expiresAt: inSeconds(3_600),
};
const user = buildUser({ id: 'ann', email: 'ann@example.com', role: 'viewer', createdAt: inSeconds(-600) });

interface StoredObjects {
  readonly subscription?: Subscription | null;
  readonly session?: Session | null;
  readonly user?: User | null;
}

/** Stores that each hold at most one object, and the names of the stores that were read by token digest. */
function createStores(stored: StoredObjects) {
  const reads: string[] = [];
  const deps = {
    subscriptions: {
      find: async (where: Where<Subscription>) => {
        reads.push('subscriptions');
        const existing = stored.subscription ?? null;
        return [existing?.token.digest, existing?.previousToken?.digest].includes(String(where['token.digest']))
          ? existing
          : null;
      },
      get: async () => stored.subscription ?? null,
    },
    sessions: {
      get: async (digest: string) => {
        reads.push('sessions');
        return stored.session?.digest === digest ? stored.session : null;
      },
    },
    users: { get: async (id: string) => (stored.user?.id === id ? stored.user : null) },
    clock: { now: () => now, monotonicMs: () => 0 },
  };
  return { reads, deps, find: (digest: string) => findStreamEntitlement(deps, deps.clock, digest) };
}

describe('the token of a subscription', () => {
  test('entitles to the events of its filter, until the subscription ends', async () => {
    expect(await createStores({ subscription }).find('new')).toEqual({
      holder: { kind: 'subscription', id: 'subscription' },
      tokenDigest: 'new',
      filter: subscription.filter,
      validUntil: inSeconds(3_600),
    });
  });

  test('is valid until the end of its overlap once it was replaced', async () => {
    expect(await createStores({ subscription }).find('old')).toMatchObject({
      tokenDigest: 'old',
      validUntil: inSeconds(60),
    });
  });

  test('is invalid when the subscription has expired', async () => {
    expect(await createStores({ subscription: { ...subscription, expiresAt: now } }).find('new')).toBeNull();
  });
});

describe('a session', () => {
  test('entitles to all events, until its end', async () => {
    expect(await createStores({ session, user }).find('session')).toEqual({
      holder: { kind: 'session', id: 'session', userId: 'ann' },
      tokenDigest: 'session',
      filter: noFilter,
      validUntil: inSeconds(3_600),
    });
  });

  test.each<[string, StoredObjects]>([
    ['it does not exist', { session: null, user }],
    ['it has expired', { session: { ...session, expiresAt: now }, user }],
    ['it was idle for too long', { session: { ...session, lastSeenAt: inSeconds(-sessionIdleMs / 1_000) }, user }],
    ['its user does not exist', { session, user: null }],
    ['its user is disabled', { session, user: { ...user, disabled: true } }],
  ])('entitles to nothing when %s', async (_when, stored) => {
    expect(await createStores(stored).find('session')).toBeNull();
  });
});

test('reads the same stores for a subscription, a session and an unknown token', async () => {
  for (const digest of ['new', 'session', 'unknown']) {
    const { reads, find } = createStores({ subscription, session, user });
    await find(digest);
    expect(reads).toEqual(['subscriptions', 'sessions']);
  }
});

test('evicts a session by its digest and by its user', async () => {
  for (const id of ['session', 'ann']) {
    const { deps } = createStores({ session, user });
    const cache = createStreamTokenCache(deps, deps.clock, () => true);
    await cache.resolve('session');
    cache.evict('another id');
    expect(cache.recall('session')).toBeDefined();
    cache.evict(id);
    expect(cache.recall('session')).toBeUndefined();
  }
});
