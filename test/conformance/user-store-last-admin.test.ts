import type { User, UserChanges } from '@widget-service/shared/ports/user-store.ts';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { aUser } from '../drivers/builders.ts';
import { openTestBackend } from '../drivers/open-test-backend.ts';
import type { TestBackend } from '../drivers/test-backend.ts';

const leavings: readonly UserChanges[] = [{ role: 'editor' }, { disabled: true }, { role: 'viewer', disabled: true }];

describe('UserStore, the last admin', () => {
  let store: TestBackend;
  beforeEach(async () => {
    store = await openTestBackend();
  });
  afterEach(() => store.dispose());
  const users = () => store.backend.users;
  const admins = async (count: number) => {
    const made = Array.from({ length: count }, () => aUser({ role: 'admin' }));
    for (const user of made) await users().insert(user);
    return made;
  };
  const enabledAdmins = async (): Promise<User[]> => {
    const { items } = await users().list({ offset: 0, limit: 200 });
    return items.filter(({ role, disabled }) => role === 'admin' && !disabled);
  };

  it('can be neither demoted nor disabled, and is left as it was', async () => {
    const only = aUser({ role: 'admin' });
    await users().insertFirst(only);
    await users().insert(aUser({ role: 'admin', disabled: true }));
    await users().insert(aUser({ role: 'editor' }));
    for (const changes of leavings) {
      expect(await users().update(only.id, changes)).toEqual({ status: 'last-admin' });
      expect(await users().update(only.id, { ...changes, passwordHash: 'x' })).toEqual({ status: 'last-admin' });
    }
    expect(await users().findById(only.id)).toEqual(only);
    await store.reopen();
    expect(await users().update(only.id, { disabled: true })).toEqual({ status: 'last-admin' });
  });

  it('can be changed otherwise', async () => {
    const [only] = await admins(1);
    const changes = { role: 'admin', disabled: false, passwordHash: 'another' } as const;
    expect(await users().update(only?.id ?? '', changes)).toMatchObject({ status: 'updated', user: changes });
    expect(await users().update(only?.id ?? '', { role: 'editor' })).toEqual({ status: 'last-admin' });
  });

  it.each(leavings)('is one no longer once there is another: %j', async (changes) => {
    const [first, second] = await admins(2);
    expect(await users().update(first?.id ?? '', changes)).toMatchObject({ status: 'updated', user: changes });
    expect(await users().update(second?.id ?? '', changes)).toEqual({ status: 'last-admin' });
    await users().update(first?.id ?? '', { role: 'admin', disabled: false });
    expect(await users().update(second?.id ?? '', changes)).toMatchObject({ status: 'updated' });
    expect(await users().update(first?.id ?? '', changes)).toEqual({ status: 'last-admin' });
  });

  it('is there after twenty admins were demoted or disabled at once', async () => {
    const all = await admins(20);
    const outcomes = await Promise.all(all.map(({ id }, n) => users().update(id, leavings[n % 3] ?? {})));
    expect(outcomes.filter(({ status }) => status === 'updated')).toHaveLength(19);
    expect(outcomes.filter(({ status }) => status === 'last-admin')).toHaveLength(1);
    expect((await enabledAdmins()).map(({ id }) => id)).toEqual([all[outcomes.findIndex(isRefusal)]?.id]);
  });

  it('is there whatever is done at once to a few', async () => {
    const all = await admins(3);
    const choices: readonly UserChanges[] = [{ role: 'admin' }, { disabled: false }, ...leavings];
    for (let round = 0; round < 6; round += 1) {
      await Promise.all(
        Array.from({ length: 15 }, (_, n) => users().update(all[n % 3]?.id ?? '', choices[(n * 7 + round) % 5] ?? {})),
      ).catch((error: { code?: unknown }) => {
        // Who is in the way of too many others may be told to try again.
        if (error.code !== 'unavailable') throw error;
      });
      expect((await enabledAdmins()).length).toBeGreaterThan(0);
    }
    for (const { id } of all) await users().update(id, { role: 'admin', disabled: false });
    for (const { id } of all.slice(1)) expect((await users().update(id, { disabled: true })).status).toBe('updated');
    expect(await users().update(all[0]?.id ?? '', { disabled: true })).toEqual({ status: 'last-admin' });
  });
});

function isRefusal({ status }: { readonly status: string }): boolean {
  return status === 'last-admin';
}
