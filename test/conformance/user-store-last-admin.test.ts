import { randomBytes } from 'node:crypto';
import { createIndexes } from '@widget-service/cluster/mongo/indexes.ts';
import { MongoAdminRoster } from '@widget-service/cluster/mongo/mongo-admin-roster.ts';
import { MongoUserStore } from '@widget-service/cluster/mongo/mongo-user-store.ts';
import type { User, UserChanges } from '@widget-service/shared/ports/user-store.ts';
import { type Db, MongoClient } from 'mongodb';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest';
import { aUser } from '../drivers/builders.ts';
import { openTestBackend } from '../drivers/open-test-backend.ts';
import type { TestBackend } from '../drivers/test-backend.ts';

/** Every way in which a user stops being an enabled admin. */
const resignations: readonly UserChanges[] = [
  { role: 'editor' },
  { disabled: true },
  { role: 'viewer', disabled: true },
];

describe('UserStore.update, for the last admin', () => {
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
    const { items } = await users().list({ offset: 0, limit: 200 });
    return items.filter(({ role, disabled }) => role === 'admin' && !disabled);
  };

  it('returns last-admin for a demotion or disabling, and changes nothing', async () => {
    const only = aUser({ role: 'admin' });
    await users().insertFirst(only);
    await users().insert(aUser({ role: 'admin', disabled: true }));
    await users().insert(aUser({ role: 'editor' }));
    for (const changes of resignations) {
      expect(await users().update(only.id, changes)).toEqual({ status: 'last-admin' });
      expect(await users().update(only.id, { ...changes, passwordHash: 'x' })).toEqual({ status: 'last-admin' });
    }
    expect(await users().findById(only.id)).toEqual(only);
    await testBackend.reopen();
    expect(await users().update(only.id, { disabled: true })).toEqual({ status: 'last-admin' });
  });

  it('accepts other changes of the admin', async () => {
    const [only] = await insertAdmins(1);
    const changes = { role: 'admin', disabled: false, passwordHash: 'another' } as const;
    expect(await users().update(only?.id ?? '', changes)).toMatchObject({ status: 'updated', user: changes });
    expect(await users().update(only?.id ?? '', { role: 'editor' })).toEqual({ status: 'last-admin' });
  });

  it.each(resignations)('accepts %j once there is another enabled admin', async (changes) => {
    const [first, second] = await insertAdmins(2);
    expect(await users().update(first?.id ?? '', changes)).toMatchObject({ status: 'updated', user: changes });
    expect(await users().update(second?.id ?? '', changes)).toEqual({ status: 'last-admin' });
    await users().update(first?.id ?? '', { role: 'admin', disabled: false });
    expect(await users().update(second?.id ?? '', changes)).toMatchObject({ status: 'updated' });
    expect(await users().update(first?.id ?? '', changes)).toEqual({ status: 'last-admin' });
  });

  it('keeps one enabled admin when 20 admins resign at once', async () => {
    const admins = await insertAdmins(20);
    const outcomes = await Promise.all(admins.map(({ id }, n) => users().update(id, resignations[n % 3] ?? {})));
    expect(outcomes.filter(({ status }) => status === 'updated')).toHaveLength(19);
    expect(outcomes.filter(({ status }) => status === 'last-admin')).toHaveLength(1);
    expect((await readEnabledAdmins()).map(({ id }) => id)).toEqual([admins[outcomes.findIndex(isLastAdmin)]?.id]);
  });

  it('keeps an enabled admin under concurrent changes of three admins', async () => {
    const admins = await insertAdmins(3);
    const choices: readonly UserChanges[] = [{ role: 'admin' }, { disabled: false }, ...resignations];
    for (let round = 0; round < 6; round += 1) {
      await Promise.all(
        Array.from({ length: 15 }, (_, n) =>
          users().update(admins[n % 3]?.id ?? '', choices[(n * 7 + round) % 5] ?? {}),
        ),
      ).catch((error: { code?: unknown }) => {
        // The store rejects an update that collides with too many others.
        if (error.code !== 'unavailable') throw error;
      });
      expect((await readEnabledAdmins()).length).toBeGreaterThan(0);
    }
    for (const { id } of admins) await users().update(id, { role: 'admin', disabled: false });
    for (const { id } of admins.slice(1)) expect((await users().update(id, { disabled: true })).status).toBe('updated');
    expect(await users().update(admins[0]?.id ?? '', { disabled: true })).toEqual({ status: 'last-admin' });
  });
});

/** On the cluster, a change of the admins takes several writes. A pod can crash between any two of them. */
describe.runIf(inject('backend') === 'cluster')('MongoUserStore.update, for the last admin after a pod crashed', () => {
  let client: MongoClient;
  let db: Db;
  let users: MongoUserStore;
  let first: User;
  let second: User;
  beforeAll(async () => {
    client = await MongoClient.connect(process.env.MONGODB_URL ?? '');
  });
  beforeEach(async () => {
    db = client.db(`t-${randomBytes(8).toString('hex')}`);
    await createIndexes(db);
    users = new MongoUserStore(db);
    [first, second] = [aUser({ role: 'admin' }), aUser({ role: 'admin' })];
    await users.insert(first);
    await users.insert(second);
    return () => db.dropDatabase();
  });
  afterAll(() => client?.close());

  const openRoster = () => db.collection<{ _id: string; confirmedIds: string[] }>('adminRoster');
  /** Does what a pod does before it crashes `agoMs` ago, in the middle of demoting the user. */
  const crashWhileDemoting = (user: User, agoMs: number) =>
    new MongoAdminRoster(db, async () => []).remove(user.id, new Date(Date.now() - agoMs));
  const demote = async ({ id }: User) => (await users.update(id, { role: 'viewer' })).status;
  /** Expects that the store counts both admins: one of them may resign, but then the other one may not. */
  const expectBothCounted = async () => {
    expect(await demote(first)).toBe('updated');
    expect(await demote(second)).toBe('last-admin');
    expect(await users.findById(second.id)).toEqual(second);
  };

  it('counts the admins of a database that has no roster yet', async () => {
    await openRoster().deleteMany({});
    await expectBothCounted();
  });

  it('counts an admin whose demotion never completed', async () => {
    expect(await crashWhileDemoting(second, 11_000)).toBe(true);
    expect((await users.findById(second.id))?.role).toBe('admin');
    await expectBothCounted();
  });

  it('does not count an admin whose demotion may still be in progress', async () => {
    await crashWhileDemoting(second, 1_000);
    expect(await demote(first)).toBe('last-admin');
    expect(await demote(second)).toBe('updated');
  });

  it('counts an admin that is missing from the roster', async () => {
    await openRoster().updateOne({ _id: 'admins' }, { $set: { confirmedIds: [first.id] } });
    await expectBothCounted();
  });

  it('counts a new first user after an operator removed all users', async () => {
    await db.collection('users').deleteMany({});
    const newFirst = aUser({ role: 'admin' });
    expect(await users.insertFirst(newFirst)).toBe(true);
    expect(await demote(newFirst)).toBe('last-admin');
  });
});

function isLastAdmin({ status }: { readonly status: string }): boolean {
  return status === 'last-admin';
}
