import { randomUUID } from 'node:crypto';
import { sha256Hex } from '@widget-service/shared/domain/token.ts';
import type { Session } from '@widget-service/shared/ports/session-store.ts';
import { describe, expect, test } from 'vitest';
import { openSharedBackend } from '../drivers/app/open-shared.ts';

/** Not expired: a store may remove an expired session at any time. */
function aSession(overrides: Partial<Session> = {}): Session {
  const now = Date.now();
  return {
    id: randomUUID(),
    digest: sha256Hex(randomUUID()),
    userId: randomUUID(),
    device: 'Firefox 145 on Windows',
    address: '2001:db8::7',
    createdAt: new Date(now - 2001),
    lastSeenAt: new Date(now - 1003),
    expiresAt: new Date(now + 3_600_007),
    ...overrides,
  };
}

describe('SessionStore', async () => {
  const testBackend = await openSharedBackend();
  const sessions = () => testBackend.backend.sessions;

  test('finds a session unchanged by its digest', async () => {
    const session = aSession();
    await sessions().insert(session);
    expect(await sessions().find(session.digest)).toEqual(session);
  });

  test('returns null for an unknown digest', async () => {
    expect(await sessions().find(sha256Hex(randomUUID()))).toBeNull();
  });

  test('keeps a session without a device and an address', async () => {
    const session = aSession({ device: null, address: null });
    await sessions().insert(session);
    expect(await sessions().find(session.digest)).toEqual(session);
  });

  test('findById finds a session by its id, for its user only', async () => {
    const userId = randomUUID();
    const [session, other] = [aSession({ userId }), aSession({ userId })];
    for (const inserted of [session, other]) await sessions().insert(inserted);
    expect(await sessions().findById(userId, session.id)).toEqual(session);
    expect(await sessions().findById(randomUUID(), session.id)).toBeNull();
    expect(await sessions().findById(userId, randomUUID())).toBeNull();
    expect(await sessions().findById(userId, session.digest)).toBeNull();
    await sessions().remove(session.digest);
    expect(await sessions().findById(userId, session.id)).toBeNull();
  });

  test('list selects the live sessions of one user, newest first, in pages without holes or repeats', async () => {
    const userId = randomUUID();
    const now = Date.now();
    const newestFirst = Array.from({ length: 5 }, (_, n) => aSession({ userId, createdAt: new Date(now - n) }));
    const sameTime = [
      aSession({ userId, createdAt: new Date(now - 9) }),
      aSession({ userId, createdAt: new Date(now - 9) }),
    ];
    sameTime.sort((a, b) => (a.id < b.id ? 1 : -1));
    const expireAfter = new Date(now + 60_000);
    const seenAfter = new Date(now - 60_000);
    const ended = [
      aSession({ userId, expiresAt: expireAfter }),
      aSession({ userId, lastSeenAt: seenAfter }),
      aSession(),
    ];
    for (const session of [...ended, ...sameTime, ...newestFirst.toReversed()]) await sessions().insert(session);
    const expected = [...newestFirst, ...sameTime];
    for (const [offset, limit] of [
      [0, 3],
      [3, 3],
      [6, 3],
      [9, 3],
    ] as const) {
      const rows = await sessions().list({ userId, expireAfter, seenAfter }, { offset, limit });
      expect(rows).toEqual(expected.slice(offset, offset + limit));
    }
    for (const [atMost, count] of [
      [3, 3],
      [7, 7],
      [10_000, 7],
    ] as const) {
      expect(await sessions().count({ userId, expireAfter, seenAfter }, atMost)).toBe(count);
    }
  });

  test('recordLastSeen changes only lastSeenAt', async () => {
    const session = aSession();
    await sessions().insert(session);
    const lastSeenAt = new Date();
    await sessions().recordLastSeen(session.digest, lastSeenAt);
    expect(await sessions().find(session.digest)).toEqual({ ...session, lastSeenAt });
  });

  test('recordLastSeen inserts no session', async () => {
    const digest = sha256Hex(randomUUID());
    await sessions().recordLastSeen(digest, new Date());
    expect(await sessions().find(digest)).toBeNull();
  });

  test('remove deletes exactly one session, and may be repeated', async () => {
    const userId = randomUUID();
    const [removed, other] = [aSession({ userId }), aSession({ userId })];
    await sessions().insert(removed);
    await sessions().insert(other);
    await sessions().remove(removed.digest);
    await sessions().remove(removed.digest);
    expect(await sessions().find(removed.digest)).toBeNull();
    expect(await sessions().find(other.digest)).toEqual(other);
  });

  test('remove deletes a session whose last use is being recorded at the same time', async () => {
    const remove = async () => {
      const { digest, ...session } = aSession();
      await sessions().insert({ digest, ...session });
      const recorded = Array.from({ length: 5 }, () => sessions().recordLastSeen(digest, new Date()));
      await sessions().remove(digest);
      await Promise.all(recorded);
      return sessions().find(digest);
    };
    for (let round = 0; round < 30; round += 1) {
      const found = await Promise.all(Array.from({ length: 5 }, remove));
      expect(found).toEqual(found.map(() => null));
    }
  });

  test('removeAllOf deletes all sessions of one user, except a given one', async () => {
    const userId = randomUUID();
    const [kept, ...others] = [aSession({ userId }), aSession({ userId }), aSession({ userId })];
    const foreign = aSession();
    for (const session of [kept, ...others, foreign]) await sessions().insert(session);
    await sessions().removeAllOf(userId, kept.digest);
    for (const { digest } of others) expect(await sessions().find(digest)).toBeNull();
    expect(await sessions().find(kept.digest)).toEqual(kept);
    await sessions().removeAllOf(userId, foreign.digest);
    expect(await sessions().find(kept.digest)).toBeNull();
    await sessions().insert(aSession({ userId }));
    await sessions().removeAllOf(userId, null);
    await sessions().removeAllOf(userId, null);
    expect(await sessions().find(foreign.digest)).toEqual(foreign);
  });

  test('keeps a session that is not expired when expired ones are removed', async () => {
    const session = aSession();
    await sessions().insert(session);
    await testBackend.backend.removeExpired(new Date());
    expect(await sessions().find(session.digest)).toEqual(session);
  });

  test('keeps sessions, but not removed ones, across a reopen', async () => {
    const [kept, removed] = [aSession(), aSession()];
    await sessions().insert(kept);
    await sessions().insert(removed);
    await sessions().remove(removed.digest);
    await testBackend.reopen();
    expect(await sessions().find(kept.digest)).toEqual(kept);
    expect(await sessions().find(removed.digest)).toBeNull();
  });
});
