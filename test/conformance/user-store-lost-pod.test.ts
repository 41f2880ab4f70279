import { randomBytes } from 'node:crypto';
import { createIndexes } from '@widget-service/cluster/mongo/indexes.ts';
import { MongoAdminRoster } from '@widget-service/cluster/mongo/mongo-admin-roster.ts';
import { MongoUserStore } from '@widget-service/cluster/mongo/mongo-user-store.ts';
import type { User } from '@widget-service/shared/ports/user-store.ts';
import { type Db, MongoClient } from 'mongodb';
import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest';
import { aUser } from '../drivers/builders.ts';

/** On the cluster a change of who is admin takes several writes, and a pod may die between any two of them. */
describe.runIf(inject('backend') === 'cluster')('MongoUserStore, the last admin after a pod was lost', () => {
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

  const guard = () => db.collection<{ _id: string; ids: string[] }>('adminRoster');
  const loseInTheMiddleOfDemoting = (user: User, agoMs: number) =>
    new MongoAdminRoster(db, async () => []).remove(user.id, new Date(Date.now() - agoMs));
  const demote = async ({ id }: User) => (await users.update(id, { role: 'viewer' })).status;
  /** Of two admins either may stop, and then the other may not. */
  const expectBothCounted = async () => {
    expect(await demote(first)).toBe('updated');
    expect(await demote(second)).toBe('last-admin');
    expect(await users.findById(second.id)).toEqual(second);
  };

  it('counts the admins of a database that has no guard yet', async () => {
    await guard().deleteMany({});
    await expectBothCounted();
  });

  it('counts an admin who was to be demoted, and was not', async () => {
    expect(await loseInTheMiddleOfDemoting(second, 11_000)).toBe(true);
    expect((await users.findById(second.id))?.role).toBe('admin');
    await expectBothCounted();
  });

  it('does not count on an admin who may be demoted this very moment', async () => {
    await loseInTheMiddleOfDemoting(second, 1_000);
    expect(await demote(first)).toBe('last-admin');
    expect(await demote(second)).toBe('updated');
  });

  it('counts an admin who was made one, and not counted', async () => {
    await guard().updateOne({ _id: 'admins' }, { $set: { ids: [first.id] } });
    await expectBothCounted();
  });

  it('begins anew with the first user when an operator has removed all', async () => {
    await db.collection('users').deleteMany({});
    const again = aUser({ role: 'admin' });
    expect(await users.insertFirst(again)).toBe(true);
    expect(await demote(again)).toBe('last-admin');
  });
});
