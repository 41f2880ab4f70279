import { randomUUID } from 'node:crypto';
import type { Delivery } from '@widget-service/shared/domain/delivery.ts';
import type { LogPosition } from '@widget-service/shared/domain/log-position.ts';
import type { DeliveryEffect, LedgerRow } from '@widget-service/shared/ports/delivery-ledger.ts';
import { describe, expect, test } from 'vitest';
import { aDelivery, awkwardPayload, awkwardTexts } from '../drivers/app/builders.ts';
import { openSharedBackend } from '../drivers/app/open-shared.ts';

const position: LogPosition = { epoch: 'k3f9', ms: 1_764_000_000_123, seq: 42 };
/** The current time: MongoDB may at any moment remove a row that was published longer ago than the retention. */
const publishedAt = new Date();

function toRow(delivery: Delivery, overrides: Partial<LedgerRow> = {}): LedgerRow {
  const { redrive: _, ...members } = delivery;
  const defaults = {
    attempts: 1,
    duplicates: 0,
    reason: null,
    publishedAt: null,
    position: null,
    effect: null,
  } as const;
  return { ...members, state: 'received', ...defaults, ...overrides };
}

const testBackend = await openSharedBackend();
const ledger = () => testBackend.backend.ledger;

async function registerOne(overrides: Partial<Delivery> = {}) {
  const delivery = aDelivery(overrides);
  await ledger().register([delivery]);
  return delivery;
}

async function publishOne(overrides: Partial<Delivery> = {}) {
  const delivery = await registerOne(overrides);
  await ledger().markPublished([{ eventId: delivery.eventId, position, effect: null }], publishedAt);
  return delivery;
}

describe('DeliveryLedger.register, with a new delivery', () => {
  test('inserts a received row', async () => {
    const delivery = aDelivery();
    expect(await ledger().register([delivery])).toEqual({ duplicates: [], unstorable: [] });
    expect(await ledger().get(delivery.eventId)).toEqual(toRow(delivery));
  });

  test('keeps every text unchanged', async () => {
    const deliveries = [awkwardPayload, ...['', ...awkwardTexts].map((text) => JSON.stringify(text))].map((payload) =>
      aDelivery({ payload, occurredAt: '2026-03-01T10:00:00.123456789+00:00', kind: 'retired' }),
    );
    await ledger().register(deliveries);
    for (const delivery of deliveries) expect(await ledger().get(delivery.eventId)).toEqual(toRow(delivery));
  });

  test('accepts a delivery with neither widget nor payload', async () => {
    const delivery = await registerOne({ widgetId: null, payload: null });
    expect(await ledger().get(delivery.eventId)).toEqual(toRow(delivery));
    expect(await ledger().register([delivery])).toEqual({ duplicates: [], unstorable: [] });
  });

  test('get returns null before the delivery is registered', async () => {
    expect(await ledger().get(randomUUID())).toBeNull();
  });

  test('keeps rows across a reopen', async () => {
    const delivery = await registerOne();
    const published = await publishOne();
    await testBackend.reopen();
    expect(await ledger().get(delivery.eventId)).toEqual(toRow(delivery));
    expect(await ledger().register([delivery, published])).toEqual({ duplicates: [published.eventId], unstorable: [] });
  });
});

describe('DeliveryLedger.register, with a known delivery', () => {
  test('lets the run process a received delivery again, and counts the attempt', async () => {
    const delivery = await registerOne();
    expect(await ledger().register([delivery])).toEqual({ duplicates: [], unstorable: [] });
    expect(await ledger().get(delivery.eventId)).toEqual(toRow(delivery, { attempts: 2 }));
  });

  test('reports a published delivery as a duplicate, and counts it', async () => {
    const delivery = await publishOne();
    expect(await ledger().register([delivery])).toEqual({ duplicates: [delivery.eventId], unstorable: [] });
    expect(await ledger().register([{ ...delivery, redrive: true }])).toEqual({
      duplicates: [delivery.eventId],
      unstorable: [],
    });
    expect(await ledger().get(delivery.eventId)).toEqual(
      toRow(delivery, { state: 'published', duplicates: 2, publishedAt, position }),
    );
  });

  test.each([randomUUID(), null])(
    'reports a delivery that names another widget than its row as a duplicate (%s)',
    async (widgetId) => {
      const delivery = await registerOne();
      expect(await ledger().register([{ ...delivery, widgetId, payload: '{"other":1}' }])).toEqual({
        duplicates: [delivery.eventId],
        unstorable: [],
      });
      expect(await ledger().get(delivery.eventId)).toEqual(toRow(delivery, { duplicates: 1 }));
    },
  );

  test('reports a delivery that names a widget as a duplicate if its row names none', async () => {
    const delivery = await registerOne({ widgetId: null });
    const repeated = { ...delivery, widgetId: randomUUID() };
    expect(await ledger().register([repeated])).toEqual({ duplicates: [delivery.eventId], unstorable: [] });
  });

  test('reports a dead delivery as a duplicate, unless it is a redrive: then the row becomes received', async () => {
    const delivery = await registerOne();
    await ledger().markDead(delivery, 'store-refused');
    expect(await ledger().register([delivery])).toEqual({ duplicates: [delivery.eventId], unstorable: [] });
    expect(await ledger().get(delivery.eventId)).toEqual(
      toRow(delivery, { state: 'dead', reason: 'store-refused', duplicates: 1 }),
    );
    expect(await ledger().register([{ ...delivery, redrive: true }])).toEqual({ duplicates: [], unstorable: [] });
    expect(await ledger().get(delivery.eventId)).toEqual(toRow(delivery, { attempts: 2, duplicates: 1 }));
  });

  test('reports a redrive that names another widget than its dead row as a duplicate', async () => {
    const delivery = await registerOne();
    await ledger().markDead(delivery, 'store-refused');
    const misdirected = { ...delivery, widgetId: randomUUID(), redrive: true };
    expect(await ledger().register([misdirected])).toEqual({ duplicates: [delivery.eventId], unstorable: [] });
    expect(await ledger().get(delivery.eventId)).toMatchObject({ state: 'dead', widgetId: delivery.widgetId });
  });

  test('keeps one row when several runs register a delivery at once', async () => {
    const delivery = aDelivery();
    const outcomes = await Promise.all(Array.from({ length: 8 }, () => ledger().register([delivery])));
    expect(outcomes).toEqual(Array(8).fill({ duplicates: [], unstorable: [] }));
    expect(await ledger().get(delivery.eventId)).toEqual(toRow(delivery, { attempts: 8 }));
  });
});

describe('DeliveryLedger.register, with a batch', () => {
  test('accepts 256 new, received and published deliveries in one call', async () => {
    const buildDeliveries = (count: number) => Array.from({ length: count }, () => aDelivery());
    const [received, published, fresh] = [buildDeliveries(64), buildDeliveries(64), buildDeliveries(128)];
    await ledger().register([...received, ...published]);
    await ledger().markPublished(
      published.map(({ eventId }) => ({ eventId, position, effect: null })),
      publishedAt,
    );
    const { duplicates } = await ledger().register([...fresh, ...published, ...received]);
    expect([...duplicates].sort()).toEqual(published.map(({ eventId }) => eventId).sort());
    for (const delivery of fresh) expect(await ledger().get(delivery.eventId)).toEqual(toRow(delivery));
  });

  test('accepts an empty batch', async () => {
    expect(await ledger().register([])).toEqual({ duplicates: [], unstorable: [] });
    await ledger().markPublished([], publishedAt);
  });
});

describe('DeliveryLedger.markPublished', () => {
  test('stores the position, or null for an event that was already in the log', async () => {
    const [a, b] = [await registerOne(), await registerOne()];
    const rows = [
      { eventId: a.eventId, position, effect: null },
      { eventId: b.eventId, position: null, effect: null },
    ];
    await ledger().markPublished(rows, publishedAt);
    expect(await ledger().get(a.eventId)).toEqual(toRow(a, { state: 'published', publishedAt, position }));
    expect(await ledger().get(b.eventId)).toEqual(toRow(b, { state: 'published', publishedAt, position: null }));
  });

  test('stores what the hook changed in its widget, or null', async () => {
    const effects: (DeliveryEffect | null)[] = [
      { version: 2, state: 'active', stateChanged: false, late: true },
      { version: 2_147_483_648, state: 'retired', stateChanged: true, late: false },
      null,
    ];
    for (const effect of effects) {
      const delivery = await registerOne();
      await ledger().markPublished([{ eventId: delivery.eventId, position, effect }], publishedAt);
      expect(await ledger().get(delivery.eventId)).toEqual(
        toRow(delivery, { state: 'published', publishedAt, position, effect }),
      );
    }
  });

  test('leaves a published row unchanged, as markDead does', async () => {
    const delivery = await publishOne();
    const row = { eventId: delivery.eventId, position: { ...position, seq: 43 }, effect: null };
    await ledger().markPublished([row], new Date(publishedAt.getTime() + 1));
    await ledger().markDead(delivery, 'invalid-delivery');
    expect(await ledger().get(delivery.eventId)).toEqual(
      toRow(delivery, { state: 'published', publishedAt, position }),
    );
  });

  test('inserts no row for an unknown delivery', async () => {
    const eventId = randomUUID();
    await ledger().markPublished([{ eventId, position, effect: null }], publishedAt);
    expect(await ledger().get(eventId)).toBeNull();
  });
});

describe('DeliveryLedger.markDead', () => {
  test('keeps the payload and stores the reason', async () => {
    const delivery = await registerOne({ payload: awkwardPayload });
    await ledger().markDead(delivery, 'invalid-delivery');
    expect(await ledger().get(delivery.eventId)).toEqual(
      toRow(delivery, { state: 'dead', reason: 'invalid-delivery' }),
    );
  });

  test('inserts a row for a delivery that was never registered', async () => {
    const delivery = aDelivery({ payload: awkwardPayload });
    await ledger().markDead(delivery, 'store-refused');
    expect(await ledger().get(delivery.eventId)).toMatchObject({
      state: 'dead',
      reason: 'store-refused',
      payload: awkwardPayload,
      widgetId: delivery.widgetId,
      receivedAt: delivery.receivedAt,
    });
  });

  test('keeps dead rows across a reopen', async () => {
    const delivery = await registerOne();
    await ledger().markDead(delivery, 'store-refused');
    await testBackend.reopen();
    expect(await ledger().register([delivery])).toEqual({ duplicates: [delivery.eventId], unstorable: [] });
  });
});
