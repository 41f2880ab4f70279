import { randomUUID } from 'node:crypto';
import type { Delivery } from '@widget-service/shared/domain/delivery.ts';
import type { DiscardOutcome } from '@widget-service/shared/ports/delivery-ledger.ts';
import { describe, expect, test } from 'vitest';
import { aDelivery, awkwardPayload } from '../drivers/app/builders.ts';
import { openSharedBackend } from '../drivers/app/open-shared.ts';

const testBackend = await openSharedBackend();
const ledger = () => testBackend.backend.ledger;
const discard = ({ integrationId, eventId }: Delivery): Promise<DiscardOutcome> =>
  ledger().discard(integrationId, eventId, new Date());

async function aDeadDelivery(): Promise<Delivery> {
  const delivery = aDelivery({ payload: awkwardPayload, widgetId: randomUUID() });
  await ledger().register([delivery]);
  await ledger().markDead(delivery, 'store-refused');
  return delivery;
}

describe('DeliveryLedger.discard', () => {
  test('erases the payload of a dead delivery, and keeps the rest', async () => {
    const delivery = await aDeadDelivery();
    const before = await ledger().get(delivery.eventId);
    expect(await discard(delivery)).toBe('discarded');
    await testBackend.reopen();
    expect(await ledger().get(delivery.eventId)).toEqual({ ...before, state: 'discarded', payload: null });
  });

  test('changes nothing when it is repeated', async () => {
    const delivery = await aDeadDelivery();
    await discard(delivery);
    expect(await discard(delivery)).toBe('discarded-before');
  });

  test('leaves a delivery as it is that is not dead', async () => {
    const [received, published] = [aDelivery(), aDelivery()];
    await ledger().register([received, published]);
    await ledger().markPublished([{ eventId: published.eventId, position: null, effect: null }], new Date());
    for (const delivery of [received, published]) {
      const before = await ledger().get(delivery.eventId);
      expect(await discard(delivery)).toBe('not-dead');
      expect(await ledger().get(delivery.eventId)).toEqual(before);
    }
  });

  test('finds no delivery under an unknown id, nor under another integration', async () => {
    expect(await discard(aDelivery())).toBe('unknown');
    const delivery = await aDeadDelivery();
    expect(await discard({ ...delivery, integrationId: randomUUID() })).toBe('unknown');
    expect(await ledger().get(delivery.eventId)).toMatchObject({ state: 'dead', payload: awkwardPayload });
  });

  test('drops later deliveries and redrives as duplicates', async () => {
    const delivery = await aDeadDelivery();
    await discard(delivery);
    const duplicates = [delivery.eventId];
    expect(await ledger().register([delivery])).toEqual({ duplicates, unstorable: [] });
    expect(await ledger().register([{ ...delivery, redrive: true }])).toEqual({ duplicates, unstorable: [] });
    expect(await ledger().get(delivery.eventId)).toMatchObject({ state: 'discarded', payload: null, duplicates: 2 });
  });

  test('leaves a delivery discarded that a late run dead-letters again', async () => {
    const delivery = await aDeadDelivery();
    await discard(delivery);
    await ledger().markDead(delivery, 'invalid-delivery');
    expect(await ledger().get(delivery.eventId)).toMatchObject({
      state: 'discarded',
      reason: 'store-refused',
      payload: null,
    });
  });

  test('marks a delivery as published whose event a late run has appended all the same', async () => {
    const delivery = await aDeadDelivery();
    await discard(delivery);
    const publishedAt = new Date();
    await ledger().markPublished([{ eventId: delivery.eventId, position: null, effect: null }], publishedAt);
    expect(await ledger().get(delivery.eventId)).toMatchObject({ state: 'published', publishedAt, reason: null });
  });

  test('lets either a redrive or a discard win when both happen at once', async () => {
    const deliveries = await Promise.all(Array.from({ length: 20 }, aDeadDelivery));
    for (const delivery of deliveries) {
      const [registered, discarded] = await Promise.all([
        ledger().register([{ ...delivery, redrive: true }]),
        discard(delivery),
      ]);
      const isProcessed = registered.duplicates.length === 0;
      expect(discarded).toBe(isProcessed ? 'not-dead' : 'discarded');
      expect(await ledger().get(delivery.eventId)).toMatchObject({ state: isProcessed ? 'received' : 'discarded' });
    }
  });

  test('takes it out of the dead deliveries, and lists it as discarded and in the history of its widget', async () => {
    const delivery = await aDeadDelivery();
    const { integrationId, eventId, widgetId } = delivery;
    const list = (state: 'dead' | 'discarded' | null) =>
      ledger().list({ integrationId, state }, { offset: 0, limit: 10 });
    expect((await ledger().countDead(100_000)).get(integrationId)).toBe(1);
    await discard(delivery);
    expect((await ledger().countDead(100_000)).get(integrationId)).toBeUndefined();
    expect(await list('dead')).toEqual([]);
    expect(await ledger().count({ integrationId, state: 'discarded' }, 10)).toBe(1);
    const ofWidget = await ledger().list({ widgetId: widgetId ?? '' }, { offset: 0, limit: 10 });
    for (const rows of [await list('discarded'), await list(null), ofWidget]) {
      expect(rows).toMatchObject([{ eventId, state: 'discarded', reason: 'store-refused' }]);
    }
  });
});
