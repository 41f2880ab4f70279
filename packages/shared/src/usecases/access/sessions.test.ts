import { expect, test } from 'vitest';
import { UnavailableError } from '../../domain/errors.ts';
import type { Session } from '../../entities/session.ts';
import type { User } from '../../entities/user.ts';
import { ManageSessions, type ManageSessionsDeps, sessionIdleMs } from './sessions.ts';

const secondMs = 1_000;
const minuteMs = 60 * secondMs;

/** What the methods under test do not use. */
const unused = {
  sessions: {
    insert: async () => true,
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

test('a session stays valid while it is used, and ends once it is idle for 12 hours', async () => {
  let session: Session | null = null;
  let nowMs = 0;
  const clock = { now: () => new Date(nowMs), monotonicMs: () => nowMs };
  const sessions = {
    ...unused.sessions,
    insert: async (inserted: Session) => {
      session = inserted;
      return true;
    },
    get: async () => session,
    change: async (_: string, decide: (current: Session) => Partial<Session> | null) => {
      session = session === null ? null : { ...session, ...decide(session) };
      return session;
    },
  };
  const manage = new ManageSessions({ ...unused, sessions, users, clock });
  const { sessionId } = await manage.start('user', { device: null, address: null });
  for (let uses = 0; uses < 200; uses += 1) {
    nowMs += sessionIdleMs / 60;
    expect(await manage.find(sessionId, '')).not.toBeNull();
  }
  nowMs += sessionIdleMs;
  expect(await manage.find(sessionId, '')).toBeNull();
});

/** A session whose `lastSeenAt` is due to be written. Counts the writes. */
function aSessionWithDueWrite(recordLastSeen: () => Promise<null>) {
  const state = { nowMs: 10 * minuteMs, writes: 0 };
  const seen = new Date(0);
  const times = { createdAt: seen, lastSeenAt: seen, expiresAt: new Date(1e12) };
  const session: Session = { id: 'i', digest: 'd', userId: 'u', device: null, address: null, ...times };
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
