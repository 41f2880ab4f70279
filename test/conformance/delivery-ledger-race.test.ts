import { randomBytes } from 'node:crypto';
import { openMongo } from '@widget-service/cluster/mongo/client.ts';
import { MongoDeliveryLedger } from '@widget-service/cluster/mongo/mongo-delivery-ledger.ts';
import type { DeliveryLedger } from '@widget-service/shared/ports/delivery-ledger.ts';
import type { Db } from 'mongodb';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { aDelivery } from '../drivers/app/builders.ts';
import { mongodbUrlOf } from '../drivers/cluster/servers.ts';

const retentionMs = 3_600_000;

/**
 * Returns a database that runs `meanwhile` between a read and the write that follows it. The embedded ledger registers
 * in one transaction, so nothing can happen in between there.
 */
function runAfterRead(db: Db, meanwhile: () => Promise<void>): Db {
  const getBoundMember = (target: object, member: string | symbol) => {
    const value = Reflect.get(target, member) as unknown;
    return typeof value === 'function' ? value.bind(target) : value;
  };
  const getSlowMember = (target: object, member: string | symbol) => {
    if (member !== 'find') return getBoundMember(target, member);
    return (...args: unknown[]) => {
      const cursor = getBoundMember(target, member)(...args);
      const toArray = async () => {
        const rows = await cursor.toArray();
        await meanwhile();
        return rows;
      };
      return { toArray };
    };
  };
  const openCollection = (name: string) => new Proxy(db.collection(name), { get: getSlowMember });
  return new Proxy(db, {
    get: (target, member) => (member === 'collection' ? openCollection : getBoundMember(target, member)),
  });
}

/** The simulation found this case: other runs change a row between the read and the write of `register`. */
describe.runIf(inject('backend') === 'cluster')('MongoDeliveryLedger.register, with a concurrent run', () => {
  let mongo: Awaited<ReturnType<typeof openMongo>>;
  let ledger: DeliveryLedger;
  beforeAll(async () => {
    const MONGODB_URL = mongodbUrlOf(`t-${randomBytes(8).toString('hex')}`);
    mongo = await openMongo({ MONGODB_URL, startTimeoutMs: 5_000 });
    ledger = new MongoDeliveryLedger(mongo.db, retentionMs);
  });
  afterAll(async () => {
    await mongo.db.dropDatabase();
    await mongo.close();
  });

  test('keeps a delivery dead that another run dead-letters meanwhile', async () => {
    const delivery = aDelivery();
    await ledger.register([delivery]);
    const slowDb = runAfterRead(mongo.db, () => ledger.markDead(delivery, 'store-refused'));
    await new MongoDeliveryLedger(slowDb, retentionMs).register([delivery]);
    expect(await ledger.get(delivery.eventId)).toMatchObject({ state: 'dead', reason: 'store-refused' });
  });

  test('keeps a delivery dead that another run redrives and dead-letters again meanwhile', async () => {
    const delivery = { ...aDelivery(), redrive: true };
    await ledger.register([delivery]);
    await ledger.markDead(delivery, 'store-refused');
    const slowDb = runAfterRead(mongo.db, async () => {
      await ledger.register([delivery]);
      await ledger.markDead(delivery, 'invalid-delivery');
    });
    await new MongoDeliveryLedger(slowDb, retentionMs).register([delivery]);
    expect(await ledger.get(delivery.eventId)).toMatchObject({ state: 'dead', reason: 'invalid-delivery' });
  });

  test('drops a redrive whose delivery is discarded meanwhile', async () => {
    const delivery = { ...aDelivery(), redrive: true };
    await ledger.register([delivery]);
    await ledger.markDead(delivery, 'store-refused');
    const slowDb = runAfterRead(mongo.db, async () => {
      await ledger.discard(delivery.integrationId, delivery.eventId, new Date());
    });
    expect(await new MongoDeliveryLedger(slowDb, retentionMs).register([delivery])).toEqual({
      duplicates: [delivery.eventId],
      unstorable: [],
    });
    expect(await ledger.get(delivery.eventId)).toMatchObject({ state: 'discarded', payload: null });
  });

  test('keeps a delivery published that another run publishes meanwhile', async () => {
    const delivery = aDelivery();
    await ledger.register([delivery]);
    const publish = () =>
      ledger.markPublished([{ eventId: delivery.eventId, position: null, effect: null }], new Date());
    await new MongoDeliveryLedger(runAfterRead(mongo.db, publish), retentionMs).register([delivery]);
    expect(await ledger.get(delivery.eventId)).toMatchObject({ state: 'published', attempts: 1 });
  });
});
