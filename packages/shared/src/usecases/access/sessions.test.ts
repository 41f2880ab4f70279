import { expect, test } from 'vitest';
import { UnavailableError } from '../../domain/errors.ts';
import type { Session } from '../../entities/session.ts';
import type { User } from '../../entities/user.ts';
import { makeFindSession, makeStartSession } from './sessions.ts';

const secondMs = 1_000;
const minuteMs = 60 * secondMs;

test.each([minuteMs, 5 * minuteMs, 43_200_000])(
  'a session with an idle limit of %i ms stays valid while it is used, and ends once it is idle that long',
  async (sessionIdleMs) => {
    let session: Session | null = null;
    let nowMs = 0;
    const clock = { now: () => new Date(nowMs), monotonicMs: () => nowMs };
    const sessions = {
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
    const users = { get: async (id: string) => ({ id, disabled: false }) as User };
    const start = makeStartSession({ sessions, clock, sessionLifetimeMs: 604_800_000 });
    const find = makeFindSession({ sessions, users, clock, sessionIdleMs });
    const { sessionId } = await start('user');
    for (let uses = 0; uses < 200; uses += 1) {
      nowMs += sessionIdleMs / 60;
      expect(await find(sessionId, '')).not.toBeNull();
    }
    nowMs += sessionIdleMs;
    expect(await find(sessionId, '')).toBeNull();
  },
);

/** A session whose `lastSeenAt` is due to be written. Counts the writes. */
function aSessionWithDueWrite(recordLastSeen: () => Promise<null>) {
  const state = { nowMs: 10 * minuteMs, writes: 0 };
  const seen = new Date(0);
  const times = { createdAt: seen, lastSeenAt: seen, expiresAt: new Date(1e12) };
  const session: Session = { id: 'i', digest: 'd', userId: 'u', device: null, address: null, ...times };
  const find = makeFindSession({
    sessions: {
      get: async () => session,
      change: () => {
        state.writes += 1;
        return recordLastSeen();
      },
    },
    users: { get: async (id: string) => ({ id, disabled: false }) as User },
    clock: { now: () => new Date(state.nowMs), monotonicMs: () => state.nowMs },
    sessionIdleMs: 720 * minuteMs,
  });
  return { find, state };
}

test('does not write lastSeenAt for five seconds after a failed write', async () => {
  const { find, state } = aSessionWithDueWrite(() =>
    Promise.reject(new UnavailableError('the store accepts no writes')),
  );
  for (const [afterMs, writes] of [
    [0, 1],
    [4_999, 1],
    [1, 2],
  ] as const) {
    state.nowMs += afterMs;
    expect(await find('any', '')).not.toBeNull();
    expect(state.writes).toBe(writes);
  }
});

test('runs at most eight writes of lastSeenAt at once, and finds the session for every request', async () => {
  const { find, state } = aSessionWithDueWrite(() => new Promise(() => {}));
  const results = await Promise.all(Array.from({ length: 100 }, () => find('any', '')));
  expect(results.every((signedIn) => signedIn !== null)).toBe(true);
  expect(state.writes).toBe(8);
});
