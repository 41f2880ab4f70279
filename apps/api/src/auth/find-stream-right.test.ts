import { noFilter } from '@widget-service/shared/domain/event-filter.ts';
import type { Subscription } from '@widget-service/shared/ports/grant-store.ts';
import type { PersonalStream } from '@widget-service/shared/ports/personal-stream-store.ts';
import type { Session } from '@widget-service/shared/ports/session-store.ts';
import type { User } from '@widget-service/shared/ports/user-store.ts';
import { describe, expect, it } from 'vitest';
import { createStreamEntitlementCache, makeFindStreamEntitlement } from './stream-entitlement.ts';

const now = new Date('2026-03-01T10:00:00Z');
const inSeconds = (seconds: number) => new Date(now.getTime() + seconds * 1_000);

const subscription: Subscription = {
  id: 'subscription',
  name: 'screen',
  filter: { ...noFilter, labels: ['red'] },
  token: { digest: 'new', sealedSecret: null },
  previousToken: { digest: 'old', sealedSecret: null, expiresAt: inSeconds(60) },
  expiresAt: inSeconds(3_600),
  createdAt: inSeconds(-60),
  lastUsedAt: null,
};
const personal: PersonalStream = {
  tokenDigest: 'own',
  userId: 'ann',
  sessionDigest: 'session',
  expiresAt: inSeconds(600),
};
const session: Session = {
  digest: 'session',
  userId: 'ann',
  createdAt: inSeconds(-600),
  lastSeenAt: inSeconds(-299),
  expiresAt: inSeconds(3_600),
};
const user: User = {
  id: 'ann',
  email: 'ann@example.com',
  role: 'viewer',
  disabled: false,
  passwordHash: '',
  createdAt: inSeconds(-600),
  lastSignInAt: null,
};

interface Kept {
  readonly subscription?: Subscription | null;
  readonly personal?: PersonalStream | null;
  readonly session?: Session | null;
  readonly user?: User | null;
}

/** Stores that hold the one of each they are given, by its key. */
function stores(kept: Kept) {
  const asked: string[] = [];
  const deps = {
    subscriptions: {
      findByTokenDigest: async (digest: string) => {
        asked.push('subscriptions');
        const found = kept.subscription ?? null;
        return [found?.token.digest, found?.previousToken?.digest].includes(digest) ? found : null;
      },
    },
    personalStreams: {
      findByTokenDigest: async (digest: string) => {
        asked.push('personalStreams');
        return kept.personal?.tokenDigest === digest ? kept.personal : null;
      },
    },
    sessions: { find: async (digest: string) => (kept.session?.digest === digest ? kept.session : null) },
    users: { findById: async (id: string) => (kept.user?.id === id ? kept.user : null) },
    clock: { now: () => now, monotonicMs: () => 0 },
    sessionIdleMs: 300_000,
  };
  return { asked, deps, find: makeFindStreamEntitlement(deps) };
}

describe('a subscription’s token', () => {
  it('entitles to what its filter lets through, until the subscription ends', async () => {
    expect(await stores({ subscription }).find('new')).toEqual({
      holder: { kind: 'subscription', id: 'subscription' },
      tokenDigest: 'new',
      filter: subscription.filter,
      validUntil: inSeconds(3_600),
    });
  });

  it('that was replaced is good for its own time', async () => {
    expect(await stores({ subscription }).find('old')).toMatchObject({ tokenDigest: 'old', validUntil: inSeconds(60) });
  });

  it('of a subscription that has ended is good for nothing', async () => {
    expect(await stores({ subscription: { ...subscription, expiresAt: now } }).find('new')).toBeNull();
  });
});

describe('a person’s own token', () => {
  it('entitles to everything, for its own time', async () => {
    expect(await stores({ personal, session, user }).find('own')).toEqual({
      holder: { kind: 'session', id: 'session', userId: 'ann' },
      tokenDigest: 'own',
      filter: noFilter,
      validUntil: inSeconds(600),
    });
  });

  it('is good no longer than its session', async () => {
    const shorter = { ...session, expiresAt: inSeconds(30) };
    expect(await stores({ personal, session: shorter, user }).find('own')).toMatchObject({ validUntil: inSeconds(30) });
  });

  it.each<[string, Kept]>([
    ['it has ended', { personal: { ...personal, expiresAt: now }, session, user }],
    ['its session is gone', { personal, session: null, user }],
    ['its session has ended', { personal, session: { ...session, expiresAt: now }, user }],
    ['its session was not used for too long', { personal, session: { ...session, lastSeenAt: inSeconds(-300) }, user }],
    ['the person is gone', { personal, session, user: null }],
    ['the person is disabled', { personal, session, user: { ...user, disabled: true } }],
  ])('is good for nothing when %s', async (_when, kept) => {
    expect(await stores(kept).find('own')).toBeNull();
  });
});

it('asks for the same, whether a token is a subscription’s, a person’s or nobody’s', async () => {
  for (const digest of ['new', 'own', 'nobody’s']) {
    const { asked, find } = stores({ subscription, personal, session, user });
    await find(digest);
    expect(asked).toEqual(['subscriptions', 'personalStreams']);
  }
});

it('what is remembered of a person’s token is forgotten with the session and with the person', async () => {
  for (const id of ['session', 'ann']) {
    const { deps } = stores({ personal, session, user });
    const cache = createStreamEntitlementCache({ ...deps, isFresh: () => true });
    await cache.resolve('own');
    cache.evict('somebody else');
    expect(cache.recall('own')).toBeDefined();
    cache.evict(id);
    expect(cache.recall('own')).toBeUndefined();
  }
});
