import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { aUser, awkwardTexts } from '../drivers/builders.ts';
import { openTestBackend } from '../drivers/open-test-backend.ts';
import type { TestBackend } from '../drivers/test-backend.ts';

describe('UserStore', () => {
  let store: TestBackend;
  beforeAll(async () => {
    store = await openTestBackend();
  });
  afterAll(() => store.dispose());
  const users = () => store.backend.users;

  it('inserts a first user only while there is none, and at most one of many at once', async () => {
    const candidates = Array.from({ length: 20 }, () => aUser({ role: 'admin' }));
    const outcomes = await Promise.all(candidates.map((user) => users().insertFirst(user)));
    const stored = await Promise.all(candidates.map(({ id }) => users().findById(id)));
    const winners = candidates.filter((_, n) => outcomes[n] === true);
    expect(winners.length).toBeLessThanOrEqual(1);
    expect(stored.filter((user) => user !== null)).toEqual(winners);
    if (winners.length === 0) expect(await users().insertFirst(aUser())).toBe(true);
    expect(await users().insertFirst(aUser())).toBe(false);
  });

  it('gives a user back as it was, by id and by e-mail', async () => {
    const user = aUser({ role: 'viewer', disabled: true, lastSignInAt: new Date('2026-03-01T10:00:00.001Z') });
    expect(await users().insert(user)).toBe(true);
    expect(await users().findById(user.id)).toEqual(user);
    expect(await users().findByEmail(user.email)).toEqual(user);
  });

  it('knows nobody by an unknown id or e-mail', async () => {
    expect(await users().findById(randomUUID())).toBeNull();
    expect(await users().findByEmail('nobody@example.org')).toBeNull();
    expect(await users().findByEmail('')).toBeNull();
  });

  it.each(awkwardTexts)('keeps the texts %j', async (text) => {
    const user = aUser({ email: `${text}-${randomUUID()}`, passwordHash: text });
    expect(await users().insert(user)).toBe(true);
    expect(await users().findByEmail(user.email)).toEqual(user);
  });

  it('refuses an e-mail that is in use, and leaves its user as it was', async () => {
    const user = aUser();
    const other = aUser({ email: user.email });
    await users().insert(user);
    expect(await users().insert(other)).toBe(false);
    expect(await users().findByEmail(user.email)).toEqual(user);
    expect(await users().findById(other.id)).toBeNull();
  });

  it('lets exactly one of many inserts of one e-mail succeed', async () => {
    const candidates = Array.from({ length: 20 }, () => aUser({ email: 'wanted@example.org' }));
    const outcomes = await Promise.all(candidates.map((user) => users().insert(user)));
    expect(outcomes.filter((inserted) => inserted)).toHaveLength(1);
    expect(await users().findByEmail('wanted@example.org')).toEqual(candidates[outcomes.indexOf(true)]);
  });

  it('records when a user signed in, to the millisecond', async () => {
    const user = aUser();
    await users().insert(user);
    const at = new Date('2026-04-01T00:00:00.987Z');
    await users().recordSignIn(user.id, at);
    expect(await users().findById(user.id)).toEqual({ ...user, lastSignInAt: at });
    const unknown = randomUUID();
    await users().recordSignIn(unknown, at);
    expect(await users().findById(unknown)).toBeNull();
  });

  it('changes what is given and nothing else', async () => {
    const [user, other] = [aUser(), aUser()];
    await users().insert(user);
    await users().insert(other);
    const changed = { ...user, role: 'viewer', disabled: true } as const;
    expect(await users().update(user.id, { role: 'viewer', disabled: true })).toEqual({
      status: 'updated',
      user: changed,
    });
    const again = { ...changed, passwordHash: '$argon2id$v=19$m=19456,t=2,p=1$c2FsdA$b3RoZXI' };
    expect(await users().update(user.id, { passwordHash: again.passwordHash })).toEqual({
      status: 'updated',
      user: again,
    });
    expect(await users().update(user.id, {})).toEqual({ status: 'updated', user: again });
    expect(await users().findById(user.id)).toEqual(again);
    expect(await users().findById(other.id)).toEqual(other);
  });

  it('changes nobody by an unknown id', async () => {
    const id = randomUUID();
    expect(await users().update(id, { role: 'admin' })).toEqual({ status: 'unknown' });
    expect(await users().findById(id)).toBeNull();
  });

  it('loses no change of several at once', async () => {
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

  it('replaces a password hash only while the known one stands', async () => {
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

  it('lets exactly one of many replacements of one password hash succeed', async () => {
    const user = aUser({ passwordHash: 'known' });
    await users().insert(user);
    const hashes = Array.from({ length: 20 }, (_, n) => `next-${n}`);
    const outcomes = await Promise.all(hashes.map((next) => users().replacePasswordHash(user.id, 'known', next)));
    expect(outcomes.filter((replaced) => replaced)).toHaveLength(1);
    expect((await users().findById(user.id))?.passwordHash).toBe(hashes[outcomes.indexOf(true)]);
  });

  it('keeps users across a reopen', async () => {
    const user = aUser();
    await users().insert(user);
    await store.reopen();
    expect(await users().findById(user.id)).toEqual(user);
    expect(await users().insert(aUser({ email: user.email }))).toBe(false);
    expect(await users().insertFirst(aUser())).toBe(false);
  });
});
