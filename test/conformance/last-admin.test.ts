import type { User } from '@widget-service/shared/entities/user.ts';
import { type UserChanges, updateUser } from '@widget-service/shared/usecases/access/manage-users.ts';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { aUser } from '../drivers/app/builders.ts';
import { openTestBackend } from '../drivers/app/open-test-backend.ts';
import { requireReadable } from '../drivers/app/require-readable.ts';
import type { TestBackend } from '../drivers/app/test-backend.ts';

/** Every way in which a user stops being an enabled admin. */
const resignations: readonly UserChanges[] = [
  { role: 'editor' },
  { disabled: true },
  { role: 'viewer', disabled: true },
];

describe('updateUser, for the last admin', () => {
  let testBackend: TestBackend;
  beforeEach(async () => {
    testBackend = await openTestBackend();
  });
  afterEach(() => testBackend.dispose());
  const users = () => testBackend.backend.users;
  const insertAdmins = async (count: number) => {
    const inserted = Array.from({ length: count }, () => aUser({ role: 'admin' }));
    for (const user of inserted) await users().insert(user);
    return inserted;
  };
  const readEnabledAdmins = async (): Promise<User[]> => {
    const listed = await users().list({}, { offset: 0, limit: 200 });
    return requireReadable(listed).filter(({ role, disabled }) => role === 'admin' && !disabled);
  };

  test('returns last-admin for a demotion or disabling, and changes nothing', async () => {
    const only = aUser({ role: 'admin' });
    await users().insert(only);
    await users().insert(aUser({ role: 'admin', disabled: true }));
    await users().insert(aUser({ role: 'editor' }));
    for (const changes of resignations) {
      expect(await updateUser(users(), only.id, changes)).toEqual({ status: 'last-admin' });
      expect(await updateUser(users(), only.id, { ...changes, passwordHash: 'x' })).toEqual({ status: 'last-admin' });
    }
    expect(await users().get(only.id)).toEqual(only);
    await testBackend.reopen();
    expect(await updateUser(users(), only.id, { disabled: true })).toEqual({ status: 'last-admin' });
  });

  test('accepts other changes of the admin', async () => {
    const [only] = await insertAdmins(1);
    const changes = { role: 'admin', disabled: false, passwordHash: 'another' } as const;
    expect(await updateUser(users(), only?.id ?? '', changes)).toMatchObject({ status: 'updated', user: changes });
    expect(await updateUser(users(), only?.id ?? '', { role: 'editor' })).toEqual({ status: 'last-admin' });
  });

  test.each(resignations)('accepts %j once there is another enabled admin', async (changes) => {
    const [first, second] = await insertAdmins(2);
    expect(await updateUser(users(), first?.id ?? '', changes)).toMatchObject({ status: 'updated', user: changes });
    expect(await updateUser(users(), second?.id ?? '', changes)).toEqual({ status: 'last-admin' });
    await updateUser(users(), first?.id ?? '', { role: 'admin', disabled: false });
    expect(await updateUser(users(), second?.id ?? '', changes)).toMatchObject({ status: 'updated' });
    expect(await updateUser(users(), first?.id ?? '', changes)).toEqual({ status: 'last-admin' });
  });

  test('keeps an enabled admin when 20 admins resign at once, and refuses exactly those who stay', async () => {
    const admins = await insertAdmins(20);
    const outcomes = await Promise.all(admins.map(({ id }, n) => updateUser(users(), id, resignations[n % 3] ?? {})));
    const refused = admins.filter((_, n) => outcomes[n]?.status === 'last-admin').map(({ id }) => id);
    expect(refused.length).toBeGreaterThan(0);
    expect((await readEnabledAdmins()).map(({ id }) => id).sort()).toEqual(refused.sort());
  });

  test('a refused resignation takes back no password and no name that was set at the same moment', async () => {
    const [id = '', otherId = ''] = (await insertAdmins(2)).map((admin) => admin.id);
    for (let round = 0; round < 40; round += 1) {
      let last = '';
      const setSeveral = async () => {
        for (let n = 0; n < 3; n += 1) {
          const value = `set ${round} ${n}`;
          await updateUser(users(), id, { passwordHash: value, name: value });
          last = value;
        }
      };
      const [resigned, , set] = await Promise.allSettled([
        updateUser(users(), id, { disabled: true, passwordHash: 'refused', name: 'refused' }),
        updateUser(users(), otherId, { disabled: true }),
        setSeveral(),
      ]);
      const { passwordHash, name } = (await users().get(id)) ?? {};
      // A change may lose to too many others.
      const isRefused = resigned.status === 'fulfilled' && resigned.value.status === 'last-admin';
      if (isRefused && set.status === 'fulfilled') expect([passwordHash, name]).toEqual([last, last]);
      for (const each of [id, otherId]) await updateUser(users(), each, { role: 'admin', disabled: false });
    }
  });

  test('keeps an enabled admin under concurrent changes of three admins', async () => {
    const admins = await insertAdmins(3);
    const choices: readonly UserChanges[] = [{ role: 'admin' }, { disabled: false }, ...resignations];
    for (let round = 0; round < 6; round += 1) {
      // All of them: an update that is still under way may have written, and not yet taken back.
      const outcomes = await Promise.allSettled(
        Array.from({ length: 15 }, (_, n) =>
          updateUser(users(), admins[n % 3]?.id ?? '', choices[(n * 7 + round) % 5] ?? {}),
        ),
      );
      for (const outcome of outcomes) {
        // The store rejects an update that collides with too many others.
        if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject({ code: 'unavailable' });
      }
      expect((await readEnabledAdmins()).length).toBeGreaterThan(0);
    }
    for (const { id } of admins) await updateUser(users(), id, { role: 'admin', disabled: false });
    for (const { id } of admins.slice(1))
      expect((await updateUser(users(), id, { disabled: true })).status).toBe('updated');
    expect(await updateUser(users(), admins[0]?.id ?? '', { disabled: true })).toEqual({ status: 'last-admin' });
  });
});
