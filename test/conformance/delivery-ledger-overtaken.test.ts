import { randomBytes } from 'node:crypto';
import { openMongo } from '@widget-service/cluster/mongo/client.ts';
import { MongoDeliveryLedger } from '@widget-service/cluster/mongo/mongo-delivery-ledger.ts';
import type { DeliveryLedger } from '@widget-service/shared/ports/delivery-ledger.ts';
import type { Db } from 'mongodb';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { aDelivery } from '../drivers/builders.ts';

const retentionMs = 3_600_000;

/** A database whose rows, once looked at, are changed only after `meanwhile`. The other backend takes in one go. */
function slowAfterReading(db: Db, meanwhile: () => Promise<void>): Db {
  const bound = (target: object, member: string | symbol) => {
    const own = Reflect.get(target, member) as unknown;
    return typeof own === 'function' ? own.bind(target) : own;
  };
  const slow = (target: object, member: string | symbol) => {
    if (member !== 'find') return bound(target, member);
    return (...args: unknown[]) => {
      const cursor = bound(target, member)(...args);
      const toArray = async () => {
        const rows = await cursor.toArray();
        await meanwhile();
        return rows;
      };
      return { toArray };
    };
  };
  const collection = (name: string) => new Proxy(db.collection(name), { get: slow });
  return new Proxy(db, {
    get: (target, member) => (member === 'collection' ? collection : bound(target, member)),
  });
}

/** Found by the simulation: a run that others overtook while it took its deliveries. */
describe.runIf(inject('backend') === 'cluster')('DeliveryLedger, a take that is overtaken', () => {
  let mongo: Awaited<ReturnType<typeof openMongo>>;
  let ledger: DeliveryLedger;
  beforeAll(async () => {
    const database = `t-${randomBytes(8).toString('hex')}`;
    mongo = await openMongo({ url: process.env.MONGODB_URL ?? '', database, startTimeoutMs: 5_000 });
    ledger = new MongoDeliveryLedger(mongo.db, retentionMs);
  });
  afterAll(async () => {
    await mongo.db.dropDatabase();
    await mongo.close();
  });

  it('leaves a delivery dead that another run has given up meanwhile', async () => {
    const delivery = aDelivery();
    await ledger.register([delivery]);
    const slow = slowAfterReading(mongo.db, () => ledger.markDead(delivery, 'store-refused'));
    await new MongoDeliveryLedger(slow, retentionMs).register([delivery]);
    expect(await ledger.get(delivery.eventId)).toMatchObject({ state: 'dead', reason: 'store-refused' });
  });

  it('leaves one dead that was redriven and given up again meanwhile', async () => {
    const delivery = { ...aDelivery(), redrive: true };
    await ledger.register([delivery]);
    await ledger.markDead(delivery, 'store-refused');
    const slow = slowAfterReading(mongo.db, async () => {
      await ledger.register([delivery]);
      await ledger.markDead(delivery, 'invalid-delivery');
    });
    await new MongoDeliveryLedger(slow, retentionMs).register([delivery]);
    expect(await ledger.get(delivery.eventId)).toMatchObject({ state: 'dead', reason: 'invalid-delivery' });
  });

  it('leaves one published that was published meanwhile', async () => {
    const delivery = aDelivery();
    await ledger.register([delivery]);
    const publish = () => ledger.markPublished([{ eventId: delivery.eventId, position: null }], new Date());
    await new MongoDeliveryLedger(slowAfterReading(mongo.db, publish), retentionMs).register([delivery]);
    expect(await ledger.get(delivery.eventId)).toMatchObject({ state: 'published', attempts: 1 });
  });
});
