import { describe, expect, test } from 'vitest';
import { aDelivery } from '../drivers/app/builders.ts';
import { openSharedBackend } from '../drivers/app/open-shared.ts';

/** A payload that the store rejects for good. */
const poison = '{"reading":"poison"}';
/** The store's error. It must not repeat the payload. */
const cause = expect.stringMatching(/^(?!.*poison)(MongoDB|SQLite|database): .*(validation|rejected|unstorable)/i);

const testBackend = await openSharedBackend();
await testBackend.rejectPayloads('ledger', 'poison');

describe('DeliveryLedger, with an unstorable delivery', () => {
  test('register inserts no row for an unstorable delivery, and registers the others', async () => {
    const { ledger } = testBackend.backend;
    const received = aDelivery();
    const published = aDelivery();
    await ledger.register([received, published]);
    await ledger.markPublished([{ eventId: published.eventId, position: null, effect: null }], new Date());
    const [unstorable, fresh] = [aDelivery({ payload: poison }), aDelivery()];
    expect(await ledger.register([unstorable, received, fresh, published])).toEqual({
      duplicates: [published.eventId],
      unstorable: [{ id: unstorable.eventId, cause }],
    });
    expect(await ledger.get(unstorable.eventId)).toBeNull();
    expect(await ledger.get(fresh.eventId)).toMatchObject({ state: 'received', attempts: 1 });
    expect(await ledger.get(received.eventId)).toMatchObject({ state: 'received', attempts: 2 });
    expect(await ledger.get(published.eventId)).toMatchObject({ state: 'published', duplicates: 1 });
  });

  test('register returns an unstorable delivery that is alone in its batch', async () => {
    const unstorable = aDelivery({ payload: poison });
    expect(await testBackend.backend.ledger.register([unstorable])).toEqual({
      duplicates: [],
      unstorable: [{ id: unstorable.eventId, cause }],
    });
  });

  test('markDead rejects an unstorable delivery with UnstorableError', async () => {
    const unstorable = aDelivery({ payload: poison });
    await expect(testBackend.backend.ledger.markDead(unstorable, 'store-refused')).rejects.toMatchObject({
      name: 'UnstorableError',
    });
  });
});
