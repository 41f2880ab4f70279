import { describe, expect, test } from 'vitest';
import { aCreation, aDelivery, anEntry } from '../drivers/app/builders.ts';
import { openSharedBackend } from '../drivers/app/open-shared.ts';

/** A payload that the store rejects for good. */
const poison = '{"reading":"poison"}';
/** The store's error. It must not repeat the payload. */
const cause = expect.stringMatching(/^(?!.*poison)(MongoDB|SQLite|database): .*(validation|rejected|unstorable)/i);

const testBackend = await openSharedBackend();
await testBackend.rejectPayloads('ledger', 'poison');
await testBackend.rejectPayloads('outbox', 'poison');

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

describe('WidgetEffects.apply, with an unstorable change', () => {
  /** Inserts one widget per payload, and prepares a change of one hook for each. */
  async function prepareChanges(...payloads: readonly string[]) {
    const { widgets } = testBackend.backend;
    const creations = payloads.map(() => aCreation());
    for (const creation of creations) await widgets.insertOnce(creation);
    const changes = creations.map(({ widget }, index) => {
      const entry = anEntry(widget, 2, { payload: payloads[index] ?? null });
      return { widgetId: widget.id, fromVersion: 1, after: entry.after, entries: [entry] };
    });
    return { changes, ids: creations.map(({ widget }) => widget.id) };
  }

  const getVersion = async (id: string | undefined) => (await testBackend.backend.widgets.get(id ?? ''))?.version;

  test('leaves the widget unchanged, and changes the others', async () => {
    const { changes, ids } = await prepareChanges('{}', poison, '{"a":1}');
    expect(await testBackend.backend.effects.apply(changes)).toEqual({
      superseded: false,
      unstorable: [{ id: ids[1], cause }],
    });
    expect(await Promise.all(ids.map(getVersion))).toEqual([2, 1, 2]);
    const loaded = await testBackend.backend.effects.load(ids);
    const outboxSizes = new Map(loaded.map(({ widget, outbox }) => [widget.id, outbox.length]));
    expect(ids.map((id) => outboxSizes.get(id))).toEqual([2, 1, 2]);
  });

  test('returns an unstorable change that is alone, and a batch of only unstorable changes', async () => {
    const single = await prepareChanges(poison);
    expect(await testBackend.backend.effects.apply(single.changes)).toEqual({
      superseded: false,
      unstorable: [{ id: single.ids[0], cause }],
    });
    const { changes, ids } = await prepareChanges(poison, poison);
    expect(await testBackend.backend.effects.apply(changes)).toEqual({
      superseded: false,
      unstorable: ids.map((id) => ({ id, cause })),
    });
  });

  test('tells unstorable and superseded changes apart', async () => {
    const { changes, ids } = await prepareChanges('{}', poison, '{}');
    await testBackend.backend.effects.apply(changes.slice(2));
    expect(await testBackend.backend.effects.apply(changes)).toEqual({
      superseded: true,
      unstorable: [{ id: ids[1], cause }],
    });
    expect(await Promise.all(ids.map(getVersion))).toEqual([2, 1, 2]);
  });

  test('accepts a storable change of the same widget afterwards', async () => {
    const { changes, ids } = await prepareChanges(poison);
    await testBackend.backend.effects.apply(changes);
    const storable = changes.map((change) => ({
      ...change,
      entries: change.entries.map((entry) => ({ ...entry, payload: '{}' })),
    }));
    expect(await testBackend.backend.effects.apply(storable)).toEqual({ superseded: false, unstorable: [] });
    expect(await getVersion(ids[0])).toBe(2);
  });
});
