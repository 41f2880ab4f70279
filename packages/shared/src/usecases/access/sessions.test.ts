import { describe, expect, test } from 'vitest';
import { UnavailableError } from '../../domain/errors.ts';
import { sha256Hex } from '../../domain/token.ts';
import type { Session } from '../../entities/session.ts';
import type { User } from '../../entities/user.ts';
import { ManageSessions, type ManageSessionsDeps } from './sessions.ts';

const secondMs = 1_000;
const minuteMs = 60 * secondMs;

/** What the methods under test do not use. */
const unused = {
  sessions: {
    insert: async () => true,
    get: async () => null,
    change: async () => null,
    find: async () => null,
    list: async () => [],
    count: async () => 0,
    remove: async () => false,
    removeAll: async () => undefined,
  },
  control: { announce: async () => undefined },
  sessionLifetimeMs: 604_800_000,
};
const users: ManageSessionsDeps['users'] = { get: async (id: string) => ({ id, disabled: false }) as User };

const seen = new Date(0);
const times = { createdAt: seen, lastSeenAt: seen, expiresAt: new Date(1e12) };
const aSession = (digest: string): Session => ({ id: 'i', digest, userId: 'u', device: null, address: null, ...times });

/** A session whose `lastSeenAt` is due to be written. Counts the writes. */
function aSessionWithDueWrite(recordLastSeen: () => Promise<null>) {
  const state = { nowMs: 10 * minuteMs, writes: 0 };
  const session = aSession('d');
  const manage = new ManageSessions({
    ...unused,
    sessions: {
      ...unused.sessions,
      get: async () => session,
      change: () => {
        state.writes += 1;
        return recordLastSeen();
      },
    },
    users,
    clock: { now: () => new Date(state.nowMs), monotonicMs: () => state.nowMs },
  });
  return { manage, state };
}

test('does not write lastSeenAt for five seconds after a failed write', async () => {
  const { manage, state } = aSessionWithDueWrite(() =>
    Promise.reject(new UnavailableError('the store accepts no writes')),
  );
  for (const [afterMs, writes] of [
    [0, 1],
    [4_999, 1],
    [1, 2],
  ] as const) {
    state.nowMs += afterMs;
    expect(await manage.find('any', '')).not.toBeNull();
    expect(state.writes).toBe(writes);
  }
});

test('runs at most eight writes of lastSeenAt at once, and finds the session for every request', async () => {
  const { manage, state } = aSessionWithDueWrite(() => new Promise(() => {}));
  const results = await Promise.all(Array.from({ length: 100 }, () => manage.find('any', '')));
  expect(results.every((signedIn) => signedIn !== null)).toBe(true);
  expect(state.writes).toBe(8);
});

describe('a session that this pod does not know', () => {
  function setUp() {
    const state = { nowMs: 0, reads: 0, stored: new Set<string>(), isUnavailable: false };
    const get = async (digest: string): Promise<Session | null> => {
      state.reads += 1;
      if (state.isUnavailable) throw new UnavailableError('made unavailable by this test');
      return state.stored.has(digest) ? aSession(digest) : null;
    };
    const manage = new ManageSessions({
      ...unused,
      sessions: { ...unused.sessions, get },
      users,
      clock: { now: () => new Date(state.nowMs), monotonicMs: () => state.nowMs },
    });
    const find = async (id: string) => (await manage.find(id, '198.51.100.1'))?.session.digest ?? null;
    return { state, find };
  }

  test('is read again after 10 s', async () => {
    const { state, find } = setUp();
    expect(await find('a')).toBeNull();
    state.nowMs = 9_999;
    expect(await find('a')).toBeNull();
    expect(state.reads).toBe(1);
    state.stored.add(sha256Hex('a'));
    state.nowMs = 10_000;
    expect(await find('a')).toBe(sha256Hex('a'));
  });

  test('is read each time once it is known, so that its end takes effect at once', async () => {
    const { state, find } = setUp();
    state.stored.add(sha256Hex('a'));
    for (let use = 0; use < 3; use += 1) expect(await find('a')).toBe(sha256Hex('a'));
    state.stored.delete(sha256Hex('a'));
    expect(await find('a')).toBeNull();
    expect(state.reads).toBe(4);
  });

  test('is read again after a failure of the store', async () => {
    const { state, find } = setUp();
    state.isUnavailable = true;
    await expect(find('a')).rejects.toThrow(UnavailableError);
    state.isUnavailable = false;
    state.stored.add(sha256Hex('a'));
    expect(await find('a')).toBe(sha256Hex('a'));
  });

  test('is one of at most 20 000 that are remembered, the newest', async () => {
    const { state, find } = setUp();
    for (let id = 0; id <= 20_000; id += 1) await find(`${id}`);
    const before = state.reads;
    await find('20000');
    await find('1');
    expect(state.reads).toBe(before);
    await find('0');
    expect(state.reads).toBe(before + 1);
  });
});
