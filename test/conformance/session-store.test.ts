import { randomUUID } from 'node:crypto';
import { sha256Hex } from '@widget-service/shared/domain/token.ts';
import type { Session } from '@widget-service/shared/ports/session-store.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTestBackend } from '../drivers/open-test-backend.ts';
import type { TestBackend } from '../drivers/test-backend.ts';

/** A session that is not over: a store may remove one that is at any time. */
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
  let store: TestBackend;
  beforeAll(async () => {
    store = await openTestBackend();
  });
  afterAll(() => store.dispose());
  const sessions = () => store.backend.sessions;

  it('gives a session back as it was, to the millisecond', async () => {
    const session = aSession();
    await sessions().insert(session);
    expect(await sessions().find(session.digest)).toEqual(session);
  });

  it('knows none by an unknown digest', async () => {
    expect(await sessions().find(sha256Hex(randomUUID()))).toBeNull();
  });

  it('moves only lastSeenAt when it is touched', async () => {
    const session = aSession();
    await sessions().insert(session);
    const lastSeenAt = new Date();
    await sessions().recordLastSeen(session.digest, lastSeenAt);
    expect(await sessions().find(session.digest)).toEqual({ ...session, lastSeenAt });
  });

  it('makes no session by a touch', async () => {
    const digest = sha256Hex(randomUUID());
    await sessions().recordLastSeen(digest, new Date());
    expect(await sessions().find(digest)).toBeNull();
  });

  it('removes one session and no other, also when asked twice', async () => {
    const userId = randomUUID();
    const [one, other] = [aSession({ userId }), aSession({ userId })];
    await sessions().insert(one);
    await sessions().insert(other);
    await sessions().remove(one.digest);
    await sessions().remove(one.digest);
    expect(await sessions().find(one.digest)).toBeNull();
    expect(await sessions().find(other.digest)).toEqual(other);
  });

  it("removes a user's sessions, all or all but one, and nobody else's", async () => {
    const userId = randomUUID();
    const [kept, ...others] = [aSession({ userId }), aSession({ userId }), aSession({ userId })];
    const stranger = aSession();
    for (const session of [kept, ...others, stranger]) await sessions().insert(session);
    await sessions().removeAllOf(userId, kept.digest);
    for (const { digest } of others) expect(await sessions().find(digest)).toBeNull();
    expect(await sessions().find(kept.digest)).toEqual(kept);
    await sessions().removeAllOf(userId, stranger.digest);
    expect(await sessions().find(kept.digest)).toBeNull();
    await sessions().insert(aSession({ userId }));
    await sessions().removeAllOf(userId, null);
    await sessions().removeAllOf(userId, null);
    expect(await sessions().find(stranger.digest)).toEqual(stranger);
  });

  it('keeps a session that is not over when what is expired is removed', async () => {
    const session = aSession();
    await sessions().insert(session);
    await store.backend.removeExpired(new Date());
    expect(await sessions().find(session.digest)).toEqual(session);
  });

  it('keeps sessions, and forgets removed ones, across a reopen', async () => {
    const [kept, removed] = [aSession(), aSession()];
    await sessions().insert(kept);
    await sessions().insert(removed);
    await sessions().remove(removed.digest);
    await store.reopen();
    expect(await sessions().find(kept.digest)).toEqual(kept);
    expect(await sessions().find(removed.digest)).toBeNull();
  });
});
