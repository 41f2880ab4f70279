import { randomUUID } from 'node:crypto';
import { sha256Hex } from '@widget-service/shared/domain/token.ts';
import type { Session } from '@widget-service/shared/ports/session-store.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTestBackend } from '../drivers/open-test-backend.ts';
import type { TestBackend } from '../drivers/test-backend.ts';

/** Not expired: a store may remove an expired session at any time. */
function aSession(overrides: Partial<Session> = {}): Session {
  const now = Date.now();
  return {
    digest: sha256Hex(randomUUID()),
    userId: randomUUID(),
    createdAt: new Date(now - 2001),
    lastSeenAt: new Date(now - 1003),
    expiresAt: new Date(now + 3_600_007),
    ...overrides,
  };
}

describe('SessionStore', () => {
  let testBackend: TestBackend;
  beforeAll(async () => {
    testBackend = await openTestBackend();
  });
  afterAll(() => testBackend.dispose());
  const sessions = () => testBackend.backend.sessions;

  it('finds a session unchanged by its digest', async () => {
    const session = aSession();
    await sessions().insert(session);
    expect(await sessions().find(session.digest)).toEqual(session);
  });

  it('returns null for an unknown digest', async () => {
    expect(await sessions().find(sha256Hex(randomUUID()))).toBeNull();
  });

  it('recordLastSeen changes only lastSeenAt', async () => {
    const session = aSession();
    await sessions().insert(session);
    const lastSeenAt = new Date();
    await sessions().recordLastSeen(session.digest, lastSeenAt);
    expect(await sessions().find(session.digest)).toEqual({ ...session, lastSeenAt });
  });

  it('recordLastSeen inserts no session', async () => {
    const digest = sha256Hex(randomUUID());
    await sessions().recordLastSeen(digest, new Date());
    expect(await sessions().find(digest)).toBeNull();
  });

  it('remove deletes exactly one session, and may be repeated', async () => {
    const userId = randomUUID();
    const [removed, other] = [aSession({ userId }), aSession({ userId })];
    await sessions().insert(removed);
    await sessions().insert(other);
    await sessions().remove(removed.digest);
    await sessions().remove(removed.digest);
    expect(await sessions().find(removed.digest)).toBeNull();
    expect(await sessions().find(other.digest)).toEqual(other);
  });

  it('remove deletes a session whose last use is being recorded at the same time', async () => {
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

  it('removeAllOf deletes all sessions of one user, except a given one', async () => {
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

  it('keeps a session that is not expired when expired ones are removed', async () => {
    const session = aSession();
    await sessions().insert(session);
    await testBackend.backend.removeExpired(new Date());
    expect(await sessions().find(session.digest)).toEqual(session);
  });

  it('keeps sessions, but not removed ones, across a reopen', async () => {
    const [kept, removed] = [aSession(), aSession()];
    await sessions().insert(kept);
    await sessions().insert(removed);
    await sessions().remove(removed.digest);
    await testBackend.reopen();
    expect(await sessions().find(kept.digest)).toEqual(kept);
    expect(await sessions().find(removed.digest)).toBeNull();
  });
});
