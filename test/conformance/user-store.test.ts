import { randomUUID } from 'node:crypto';
import type { User } from '@widget-service/shared/ports/user-store.ts';
import { describe, expect, test } from 'vitest';
import { aUser, awkwardTexts } from '../drivers/app/builders.ts';
import { openSharedBackend } from '../drivers/app/open-shared.ts';

describe('UserStore', async () => {
  const testBackend = await openSharedBackend();
  const users = () => testBackend.backend.users;

  test('insertFirst inserts only while there are no users, and at most one of 20 concurrent users', async () => {
    const candidates = Array.from({ length: 20 }, () => aUser({ role: 'admin' }));
    const outcomes = await Promise.all(candidates.map((user) => users().insertFirst(user)));
    const stored = await Promise.all(candidates.map(({ id }) => users().findById(id)));
    const winners = candidates.filter((_, n) => outcomes[n] === true);
    expect(winners.length).toBeLessThanOrEqual(1);
    expect(stored.filter((user) => user !== null)).toEqual(winners);
    if (winners.length === 0) expect(await users().insertFirst(aUser())).toBe(true);
    expect(await users().insertFirst(aUser())).toBe(false);
  });

  test('finds a user unchanged by id and by e-mail', async () => {
    const passwordExpiresAt = new Date('2026-03-08T10:00:00.001Z');
    const lastSignInAt = new Date('2026-03-01T10:00:00.001Z');
    const user = aUser({ role: 'viewer', disabled: true, lastSignInAt, passwordExpiresAt });
    expect(await users().insert(user)).toBe(true);
    expect(await users().findById(user.id)).toEqual(user);
    expect(await users().findByEmail(user.email)).toEqual(user);
  });

  test('returns null for an unknown id or e-mail', async () => {
    expect(await users().findById(randomUUID())).toBeNull();
    expect(await users().findByEmail('nobody@example.org')).toBeNull();
    expect(await users().findByEmail('')).toBeNull();
  });

  test.each(awkwardTexts)('keeps the text %j unchanged in e-mail and password hash', async (text) => {
    const user = aUser({ email: `${text}-${randomUUID()}`, passwordHash: text });
    expect(await users().insert(user)).toBe(true);
    expect(await users().findByEmail(user.email)).toEqual(user);
  });

  test('insert returns false for an e-mail in use, and changes nothing', async () => {
    const user = aUser();
    const other = aUser({ email: user.email });
    await users().insert(user);
    expect(await users().insert(other)).toBe(false);
    expect(await users().findByEmail(user.email)).toEqual(user);
    expect(await users().findById(other.id)).toBeNull();
  });

  test('insert succeeds for exactly one of 20 concurrent users with one e-mail', async () => {
    const candidates = Array.from({ length: 20 }, () => aUser({ email: 'wanted@example.org' }));
    const outcomes = await Promise.all(candidates.map((user) => users().insert(user)));
    expect(outcomes.filter((wasInserted) => wasInserted)).toHaveLength(1);
    expect(await users().findByEmail('wanted@example.org')).toEqual(candidates[outcomes.indexOf(true)]);
  });

  test('recordSignIn stores the time to the millisecond, and inserts no user', async () => {
    const user = aUser();
    await users().insert(user);
    const at = new Date('2026-04-01T00:00:00.987Z');
    await users().recordSignIn(user.id, at);
    expect(await users().findById(user.id)).toEqual({ ...user, lastSignInAt: at });
    const unknown = randomUUID();
    await users().recordSignIn(unknown, at);
    expect(await users().findById(unknown)).toBeNull();
  });

  test('update changes only the given members of one user', async () => {
    const [user, other] = [aUser(), aUser()];
    await users().insert(user);
    await users().insert(other);
    const changed = { ...user, role: 'viewer', disabled: true } as const;
    expect(await users().update(user.id, { role: 'viewer', disabled: true })).toEqual({
      status: 'updated',
      user: changed,
    });
    const changedAgain = { ...changed, passwordHash: '$argon2id$v=19$m=19456,t=2,p=1$c2FsdA$b3RoZXI' };
    expect(await users().update(user.id, { passwordHash: changedAgain.passwordHash })).toEqual({
      status: 'updated',
      user: changedAgain,
    });
    expect(await users().update(user.id, {})).toEqual({ status: 'updated', user: changedAgain });
    const given = { mustChangePassword: true, passwordExpiresAt: new Date('2026-03-08T10:00:00.001Z') };
    const mustChange = { ...changedAgain, ...given };
    expect(await users().update(user.id, given)).toEqual({ status: 'updated', user: mustChange });
    const needNot = { ...mustChange, mustChangePassword: false };
    expect(await users().update(user.id, { mustChangePassword: false })).toEqual({ status: 'updated', user: needNot });
    expect(await users().findById(user.id)).toEqual(needNot);
    expect(await users().findById(other.id)).toEqual(other);
  });

  test('update returns unknown for an unknown id, and inserts no user', async () => {
    const id = randomUUID();
    expect(await users().update(id, { role: 'admin' })).toEqual({ status: 'unknown' });
    expect(await users().findById(id)).toBeNull();
  });

  test('update loses no change when several run at once', async () => {
    const user = aUser();
    await users().insert(user);
    const changes = [{ role: 'viewer' }, { disabled: true }, { passwordHash: 'another' }] as const;
    await Promise.all(changes.map((change) => users().update(user.id, change)));
    expect(await users().findById(user.id)).toEqual({
      ...user,
      role: 'viewer',
      disabled: true,
      passwordHash: 'another',
    });
  });

  test('replacePasswordHash replaces the hash only if it is still the expected one', async () => {
    const [user, other] = [aUser({ passwordHash: 'known' }), aUser({ passwordHash: 'known' })];
    await users().insert(user);
    await users().insert(other);
    expect(await users().replacePasswordHash(user.id, 'known', 'next')).toBe(true);
    expect(await users().findById(user.id)).toEqual({ ...user, passwordHash: 'next' });
    expect(await users().replacePasswordHash(user.id, 'known', 'another')).toBe(false);
    expect(await users().findById(user.id)).toEqual({ ...user, passwordHash: 'next' });
    expect(await users().replacePasswordHash(user.id, 'next', 'next')).toBe(true);
    expect(await users().replacePasswordHash(randomUUID(), 'known', 'next')).toBe(false);
    expect(await users().findById(other.id)).toEqual(other);
  });

  test('replacePasswordHash ends the duty to change the password, unless it replaces nothing', async () => {
    const user = aUser({ passwordHash: 'given', mustChangePassword: true });
    await users().insert(user);
    expect(await users().findById(user.id)).toEqual(user);
    expect(await users().replacePasswordHash(user.id, 'other', 'own')).toBe(false);
    expect(await users().findById(user.id)).toEqual(user);
    expect(await users().replacePasswordHash(user.id, 'given', 'own')).toBe(true);
    expect(await users().findById(user.id)).toEqual({ ...user, passwordHash: 'own', mustChangePassword: false });
  });

  test('replacePasswordHash succeeds for exactly one of 20 concurrent calls', async () => {
    const user = aUser({ passwordHash: 'known' });
    await users().insert(user);
    const hashes = Array.from({ length: 20 }, (_, n) => `next-${n}`);
    const outcomes = await Promise.all(hashes.map((next) => users().replacePasswordHash(user.id, 'known', next)));
    expect(outcomes.filter((wasReplaced) => wasReplaced)).toHaveLength(1);
    expect((await users().findById(user.id))?.passwordHash).toBe(hashes[outcomes.indexOf(true)]);
  });

  test('keeps users across a reopen', async () => {
    const user = aUser();
    await users().insert(user);
    await testBackend.reopen();
    expect(await users().findById(user.id)).toEqual(user);
    expect(await users().insert(aUser({ email: user.email }))).toBe(false);
    expect(await users().insertFirst(aUser())).toBe(false);
  });
});

describe('UserStore.list', async () => {
  const testBackend = await openSharedBackend();
  const list = (offset: number, limit: number) => testBackend.backend.users.list({ offset, limit });

  test('returns an empty page without users', async () => {
    expect(await list(0, 10)).toEqual([]);
    expect(await testBackend.backend.users.count(10)).toBe(0);
  });

  test('orders users by createdAt, then by id, both descending, in pages without holes or repeats', async () => {
    const times = [3, 1, 2, 2, 2, 4];
    const inserted = times.map((ms) => aUser({ id: randomUUID(), createdAt: new Date(1_764_000_000_000 + ms) }));
    for (const user of inserted) await testBackend.backend.users.insert(user);
    const expected = inserted.toSorted(compareNewestFirst);
    expect(await list(0, 10)).toEqual(expected);
    const ranges = await Promise.all([list(0, 2), list(2, 2), list(4, 2)]);
    expect(ranges.flat()).toEqual(expected);
    expect(await list(5, 10)).toEqual(expected.slice(5));
    expect(await list(6, 200)).toEqual([]);
    for (const [atMost, count] of [
      [3, 3],
      [6, 6],
      [10_000, 6],
    ] as const) {
      expect(await testBackend.backend.users.count(atMost)).toBe(count);
    }
  });
});

function compareNewestFirst(a: User, b: User): number {
  const byTime = b.createdAt.getTime() - a.createdAt.getTime();
  return byTime === 0 ? (a.id < b.id ? 1 : -1) : byTime;
}
