import { UnavailableError } from '@widget-service/shared/domain/errors.ts';
import { sha256Hex } from '@widget-service/shared/domain/token.ts';
import type { Grant } from '@widget-service/shared/entities/grant.ts';
import type { Session } from '@widget-service/shared/entities/session.ts';
import { buildUser } from '@widget-service/shared/entities/user.ts';
import type { Collection } from '@widget-service/shared/ports/collection.ts';
import { describe, expect, test } from 'vitest';
import { createGrantTokenCache, createSessionCache, makeRecallSession, makeRecordLastUsed } from './token-caches.ts';

const start = Date.parse('2026-03-01T10:00:00Z');
const at = (seconds: number) => new Date(start + seconds * 1_000);

function setUp(changes: Partial<Grant>) {
  const state = { nowMs: 0, storeReads: 0 };
  const grant: Grant = {
    id: 'the grant',
    name: 'screen',
    token: { digest: 'new', sealedSecret: 'of the new' },
    previousToken: null,
    expiresAt: null,
    tokenIssuedAt: at(-100),
    createdAt: at(-100),
    createdBy: crypto.randomUUID(),
    lastUsedAt: null,
    ...changes,
  };
  const cache = createGrantTokenCache(
    {
      find: async (where) => {
        state.storeReads += 1;
        return [grant.token.digest, grant.previousToken?.digest].includes(String(where?.['token.digest']))
          ? grant
          : null;
      },
    },
    { monotonicMs: () => state.nowMs, now: () => new Date(start + state.nowMs) },
    () => true,
  );
  return { cache, state };
}

test('resolves both tokens of a rotation, each with its own secret, the old one until its overlap ends', async () => {
  const { cache, state } = setUp({
    previousToken: { digest: 'old', sealedSecret: 'of the old', expiresAt: at(30) },
  });
  expect(await cache.resolve('new')).toMatchObject({
    grant: { id: 'the grant' },
    token: { sealedSecret: 'of the new' },
    validUntil: null,
  });
  expect(await cache.resolve('old')).toMatchObject({
    grant: { id: 'the grant' },
    token: { sealedSecret: 'of the old' },
    validUntil: at(30),
  });
  state.nowMs = 30_000;
  expect(await cache.resolve('old')).toBeNull();
  expect(await cache.resolve('new')).not.toBeNull();
});

test('reads an expired and an unknown token from the store equally often: once a minute', async () => {
  const { cache, state } = setUp({ expiresAt: at(-1) });
  for (const digest of ['new', 'unknown']) {
    state.storeReads = 0;
    for (let n = 0; n < 3; n += 1) expect(await cache.resolve(digest)).toBeNull();
    expect(state.storeReads).toBe(1);
  }
});

test('evicts a grant by its id, with all its tokens', async () => {
  const { cache } = setUp({ previousToken: { digest: 'old', sealedSecret: null, expiresAt: at(30) } });
  await Promise.all([cache.resolve('new'), cache.resolve('old')]);
  cache.evict('another');
  expect(cache.recall('new')).toBeDefined();
  cache.evict('the grant');
  expect(cache.recall('new')).toBeUndefined();
  expect(cache.recall('old')).toBeUndefined();
});

describe('a session', () => {
  const viewer = buildUser({ email: 'viewer@example.com', role: 'viewer', createdAt: at(0) });

  function open(changes: Partial<Session> = {}) {
    const state = { nowMs: 0, reads: 0, writes: 0, session: null as Session | null, user: viewer };
    const clock = { monotonicMs: () => state.nowMs, now: () => at(state.nowMs / 1_000) };
    const sessionId = 'the session id';
    state.session = {
      id: crypto.randomUUID(),
      digest: sha256Hex(sessionId),
      userId: state.user.id,
      device: null,
      address: null,
      createdAt: at(0),
      lastSeenAt: at(0),
      expiresAt: at(86_400),
      ...changes,
    };
    const sessions = {
      get: async () => {
        state.reads += 1;
        return state.session;
      },
      change: async (_: string, decide: (session: Session) => Partial<Session> | null) => {
        state.writes += 1;
        state.session = state.session === null ? null : { ...state.session, ...decide(state.session) };
        return state.session;
      },
    };
    const users = { get: async () => state.user };
    const cache = createSessionCache({ sessions, users }, clock, () => true);
    const recallSession = makeRecallSession(cache, sessions, clock);
    return { state, cache, recall: () => recallSession(sessionId, 'a network') };
  }

  test('is read once for many requests, and again when it or its user has changed', async () => {
    const { state, cache, recall } = open();
    for (let request = 0; request < 10; request += 1) expect((await recall())?.user.role).toBe('viewer');
    expect(state.reads).toBe(1);
    state.user = { ...state.user, role: 'admin' };
    cache.evict(state.user.id);
    expect((await recall())?.user.role).toBe('admin');
    const digest = state.session?.digest ?? '';
    state.session = null;
    cache.evict(digest);
    expect(await recall()).toBeNull();
    expect(state.reads).toBe(3);
  });

  test('that is unknown is read again after 10 s', async () => {
    const { state, recall } = open();
    const { session } = state;
    state.session = null;
    for (let request = 0; request < 3; request += 1) expect(await recall()).toBeNull();
    expect(state.reads).toBe(1);
    state.session = session;
    state.nowMs = 10_000;
    expect(await recall()).not.toBeNull();
  });
});

/** A store that records its calls and can fail, and a clock that moves only when a test sets it. */
function setUpUses() {
  const state = { nowMs: 1_000_000, writes: [] as string[], isUnavailable: false };
  const change: Collection<Grant>['change'] = async (id, decide) => {
    const grant = { id, lastUsedAt: null } as Grant;
    state.writes.push(`${id} ${decide(grant)?.lastUsedAt?.getTime()}`);
    if (state.isUnavailable) throw new UnavailableError('the store is unavailable');
    return grant;
  };
  const clock = { now: () => new Date(state.nowMs), monotonicMs: () => state.nowMs };
  const recordLastUsed = makeRecordLastUsed({ change }, clock);
  return { recordLastUsed, state };
}

test('records each grant at most once a minute', () => {
  const { recordLastUsed, state } = setUpUses();
  for (const nowMs of [1_000_000, 1_000_001, 1_059_999, 1_060_000, 1_060_001]) {
    state.nowMs = nowMs;
    recordLastUsed('a');
  }
  recordLastUsed('b');
  expect(state.writes).toEqual(['a 1000000', 'a 1060000', 'b 1060001']);
});

test('records a use again five seconds after a failed write', async () => {
  const { recordLastUsed, state } = setUpUses();
  state.isUnavailable = true;
  recordLastUsed('a');
  await new Promise(setImmediate);
  state.isUnavailable = false;
  state.nowMs += 4_999;
  recordLastUsed('a');
  expect(state.writes).toHaveLength(1);
  state.nowMs += 1;
  recordLastUsed('a');
  expect(state.writes).toEqual(['a 1000000', 'a 1005000']);
});

test('remembers at most 20 000 grants', () => {
  const { recordLastUsed, state } = setUpUses();
  for (let n = 0; n < 20_001; n += 1) recordLastUsed(`${n}`);
  recordLastUsed('20000');
  recordLastUsed('1');
  expect(state.writes).toHaveLength(20_001);
  recordLastUsed('0');
  expect(state.writes).toHaveLength(20_002);
});
