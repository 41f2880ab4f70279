import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { aUser, awkwardTexts } from '../drivers/app/builders.ts';
import { openSharedBackend } from '../drivers/app/open-shared.ts';

const issuer = 'https://id.example.org/realms/main';
const anIdentity = (subject: string = randomUUID()) => ({ issuer, subject });
const aProviderUser = (identity = anIdentity()) => aUser({ passwordHash: null, identity });

describe('UserStore: users of an identity provider', async () => {
  const testBackend = await openSharedBackend();
  const users = () => testBackend.backend.users;

  test.each(awkwardTexts)('finds a user unchanged by an identity with the subject %j', async (text) => {
    const user = aProviderUser(anIdentity(text));
    expect(await users().insert(user)).toBe(true);
    expect(await users().findByIdentity(anIdentity(text))).toEqual(user);
    expect(await users().findById(user.id)).toEqual(user);
    expect(await users().findByEmail(user.email)).toEqual(user);
  });

  test('finds nobody by the subject of another issuer, or by issuer and subject in exchange', async () => {
    const user = aProviderUser();
    await users().insert(user);
    const { subject } = user.identity ?? anIdentity();
    expect(await users().findByIdentity({ issuer: `${issuer}/`, subject })).toBeNull();
    expect(await users().findByIdentity({ issuer: subject, subject: issuer })).toBeNull();
    expect(await users().findByIdentity({ issuer: '', subject: `${issuer}${subject}` })).toBeNull();
  });

  test('inserts many users with a password: having no identity is nothing they share', async () => {
    for (const user of [aUser(), aUser(), aUser()]) expect(await users().insert(user)).toBe(true);
  });

  test('insert returns false for an identity in use, and changes nothing', async () => {
    const user = aProviderUser();
    const other = aProviderUser(user.identity);
    await users().insert(user);
    expect(await users().insert(other)).toBe(false);
    expect(await users().findById(other.id)).toBeNull();
    expect(await users().findByEmail(other.email)).toBeNull();
    expect(await users().findByIdentity(user.identity ?? anIdentity())).toEqual(user);
  });

  test('insert succeeds for exactly one of 20 concurrent users with one e-mail and identity', async () => {
    const identity = anIdentity();
    const email = `${randomUUID()}@example.org`;
    const candidates = Array.from({ length: 20 }, () => ({ ...aProviderUser(identity), email }));
    const outcomes = await Promise.all(candidates.map((user) => users().insert(user)));
    expect(outcomes.filter((wasInserted) => wasInserted)).toHaveLength(1);
    expect(await users().findByIdentity(identity)).toEqual(candidates[outcomes.indexOf(true)]);
  });

  test('update keeps the identity', async () => {
    const user = aProviderUser();
    await users().insert(user);
    const changed = { ...user, role: 'admin' } as const;
    expect(await users().update(user.id, { role: 'admin' })).toEqual({ status: 'updated', user: changed });
    expect(await users().findByIdentity(user.identity ?? anIdentity())).toEqual(changed);
  });

  test('replacePasswordByIdentity replaces a password and the duty to change it, once, and keeps everything else', async () => {
    const lastSignInAt = new Date('2026-03-01T10:00:00.001Z');
    const user = aUser({ role: 'admin', lastSignInAt, mustChangePassword: true });
    const identity = anIdentity();
    await users().insert(user);
    expect(await users().replacePasswordByIdentity(user.id, identity)).toBe(true);
    const linked = { ...user, passwordHash: null, mustChangePassword: false, identity };
    expect(await users().findByIdentity(identity)).toEqual(linked);
    expect(await users().replacePasswordByIdentity(user.id, anIdentity())).toBe(false);
    expect(await users().findById(user.id)).toEqual(linked);
    expect(await users().replacePasswordHash(user.id, '', 'next')).toBe(false);
  });

  test('update returns no-password instead of setting a password, also when it races with the replacement', async () => {
    const user = aProviderUser();
    await users().insert(user);
    expect(await users().update(user.id, { passwordHash: 'next', role: 'viewer' })).toEqual({ status: 'no-password' });
    expect(await users().findById(user.id)).toEqual(user);
    for (let round = 0; round < 10; round += 1) {
      const racing = aUser();
      await users().insert(racing);
      await Promise.all([
        users().update(racing.id, { passwordHash: 'next' }),
        users().replacePasswordByIdentity(racing.id, anIdentity()),
      ]);
      expect(await users().findById(racing.id)).toMatchObject({ passwordHash: null, identity: { issuer } });
    }
  });

  test('replacePasswordByIdentity changes nothing for an identity in use or an unknown user', async () => {
    const [user, other] = [aUser(), aProviderUser()];
    await users().insert(user);
    await users().insert(other);
    expect(await users().replacePasswordByIdentity(user.id, other.identity ?? anIdentity())).toBe(false);
    expect(await users().findById(user.id)).toEqual(user);
    expect(await users().replacePasswordByIdentity(randomUUID(), anIdentity())).toBe(false);
  });

  test('keeps the identity across a reopen', async () => {
    const user = aProviderUser();
    await users().insert(user);
    await testBackend.reopen();
    expect(await users().findByIdentity(user.identity ?? anIdentity())).toEqual(user);
    expect(await users().insert(aProviderUser(user.identity))).toBe(false);
  });
});
