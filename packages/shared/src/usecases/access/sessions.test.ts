import { expect, it } from 'vitest';
import { UnavailableError } from '../../domain/errors.ts';
import type { Session } from '../../ports/session-store.ts';
import type { User } from '../../ports/user-store.ts';
import { makeFindSession, makeStartSession } from './sessions.ts';

const secondMs = 1_000;
const minuteMs = 60 * secondMs;

it.each([minuteMs, 5 * minuteMs, 43_200_000])(
  'a session that may be unused for %i ms lasts while it is used, and ends when it was not used for so long',
  async (sessionIdleMs) => {
    let session: Session | null = null;
    let nowMs = 0;
    const clock = { now: () => new Date(nowMs), monotonicMs: () => nowMs };
    const sessions = {
      insert: async (inserted: Session) => {
        session = inserted;
      },
      find: async () => session,
      recordLastSeen: async (_: string, lastSeenAt: Date) => {
        session = session === null ? null : { ...session, lastSeenAt };
      },
    };
    const users = { findById: async (id: string) => ({ id, disabled: false }) as User };
    const start = makeStartSession({ sessions, clock, sessionLifetimeMs: 604_800_000 });
    const find = makeFindSession({ sessions, users, clock, sessionIdleMs });
    const { sessionId } = await start('user');
    for (let uses = 0; uses < 200; uses += 1) {
      nowMs += sessionIdleMs / 60;
      expect(await find(sessionId)).not.toBeNull();
    }
    nowMs += sessionIdleMs;
    expect(await find(sessionId)).toBeNull();
  },
);

/** A session whose use is due to be noted, in a store that takes no notes; and how often it was asked to. */
function aSessionThatIsDue(recordLastSeen: () => Promise<void>) {
  const state = { nowMs: 10 * minuteMs, touches: 0 };
  const seen = new Date(0);
  const session: Session = { digest: 'd', userId: 'u', createdAt: seen, lastSeenAt: seen, expiresAt: new Date(1e12) };
  const find = makeFindSession({
    sessions: {
      find: async () => session,
      recordLastSeen: () => {
        state.touches += 1;
        return recordLastSeen();
      },
    },
    users: { findById: async (id: string) => ({ id, disabled: false }) as User },
    clock: { now: () => new Date(state.nowMs), monotonicMs: () => state.nowMs },
    sessionIdleMs: 720 * minuteMs,
  });
  return { find, state };
}

it('leaves a store alone for a while that could not take a note', async () => {
  const { find, state } = aSessionThatIsDue(() => Promise.reject(new UnavailableError('it takes no writes')));
  for (const [afterMs, touches] of [
    [0, 1],
    [4_999, 1],
    [1, 2],
  ] as const) {
    state.nowMs += afterMs;
    expect(await find('any')).not.toBeNull();
    expect(state.touches).toBe(touches);
  }
});

it('does not ask a store that takes no notes for every request', async () => {
  const { find, state } = aSessionThatIsDue(() => new Promise(() => {}));
  const found = await Promise.all(Array.from({ length: 100 }, () => find('any')));
  expect(found.every((one) => one !== null)).toBe(true);
  expect(state.touches).toBe(8);
});
