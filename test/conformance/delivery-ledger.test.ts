import { randomUUID } from 'node:crypto';
import type { Delivery } from '@widget-service/shared/domain/hook-event.ts';
import type { LogPosition } from '@widget-service/shared/domain/log-position.ts';
import type { LedgerRow } from '@widget-service/shared/ports/delivery-ledger.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { aDelivery, awkwardPayload, awkwardTexts } from '../drivers/builders.ts';
import { openTestBackend } from '../drivers/open-test-backend.ts';
import type { TestBackend } from '../drivers/test-backend.ts';

const position: LogPosition = { epoch: 'k3f9', ms: 1_764_000_000_123, seq: 42 };
/** Not long ago: what was published long ago is removed by the server, whenever it looks. */
const publishedAt = new Date();

function rowOf(delivery: Delivery, overrides: Partial<LedgerRow> = {}): LedgerRow {
  const { redrive: _, ...members } = delivery;
  const untouched = { attempts: 1, duplicates: 0, reason: null, publishedAt: null, position: null } as const;
  return { ...members, state: 'received', ...untouched, ...overrides };
}

describe('DeliveryLedger', () => {
  let store: TestBackend;
  beforeAll(async () => {
    store = await openTestBackend();
  });
  afterAll(() => store.dispose());
  const ledger = () => store.backend.ledger;

  async function taken(overrides: Partial<Delivery> = {}) {
    const delivery = aDelivery(overrides);
    await ledger().register([delivery]);
    return delivery;
  }

  async function published(overrides: Partial<Delivery> = {}) {
    const delivery = await taken(overrides);
    await ledger().markPublished([{ eventId: delivery.eventId, position }], publishedAt);
    return delivery;
  }

  describe('a new delivery', () => {
    it('gets a row and is the run’s to carry out', async () => {
      const delivery = aDelivery();
      expect(await ledger().register([delivery])).toEqual({ duplicates: [], unstorable: [] });
      expect(await ledger().get(delivery.eventId)).toEqual(rowOf(delivery));
    });

    it('keeps every text as it was', async () => {
      const deliveries = [awkwardPayload, '', ...awkwardTexts].map((payload) =>
        aDelivery({ payload, occurredAt: '2026-03-01T10:00:00.123456789+00:00', kind: 'retired' }),
      );
      await ledger().register(deliveries);
      for (const delivery of deliveries) expect(await ledger().get(delivery.eventId)).toEqual(rowOf(delivery));
    });

    it('may have neither widget nor payload', async () => {
      const delivery = await taken({ widgetId: null, payload: null });
      expect(await ledger().get(delivery.eventId)).toEqual(rowOf(delivery));
      expect(await ledger().register([delivery])).toEqual({ duplicates: [], unstorable: [] });
    });

    it('is unknown before it was taken', async () => {
      expect(await ledger().get(randomUUID())).toBeNull();
    });

    it('survives a reopen', async () => {
      const delivery = await taken();
      const done = await published();
      await store.reopen();
      expect(await ledger().get(delivery.eventId)).toEqual(rowOf(delivery));
      expect(await ledger().register([delivery, done])).toEqual({ duplicates: [done.eventId], unstorable: [] });
    });
  });

  describe('a delivery taken again', () => {
    it('is carried out again while it is not published, and counts the attempt', async () => {
      const delivery = await taken();
      expect(await ledger().register([delivery])).toEqual({ duplicates: [], unstorable: [] });
      expect(await ledger().get(delivery.eventId)).toEqual(rowOf(delivery, { attempts: 2 }));
    });

    it('is dropped once it is published, and counts the repetition', async () => {
      const delivery = await published();
      expect(await ledger().register([delivery])).toEqual({ duplicates: [delivery.eventId], unstorable: [] });
      expect(await ledger().register([{ ...delivery, redrive: true }])).toEqual({
        duplicates: [delivery.eventId],
        unstorable: [],
      });
      expect(await ledger().get(delivery.eventId)).toEqual(
        rowOf(delivery, { state: 'published', duplicates: 2, publishedAt, position }),
      );
    });

    it.each([randomUUID(), null])('is dropped when it names another widget (%s)', async (widgetId) => {
      const delivery = await taken();
      expect(await ledger().register([{ ...delivery, widgetId, payload: '{"other":1}' }])).toEqual({
        duplicates: [delivery.eventId],
        unstorable: [],
      });
      expect(await ledger().get(delivery.eventId)).toEqual(rowOf(delivery, { duplicates: 1 }));
    });

    it('is dropped when it names a widget and named none before', async () => {
      const delivery = await taken({ widgetId: null });
      const again = { ...delivery, widgetId: randomUUID() };
      expect(await ledger().register([again])).toEqual({ duplicates: [delivery.eventId], unstorable: [] });
    });

    it('is dropped when it is dead, but for a redrive, which makes it received', async () => {
      const delivery = await taken();
      await ledger().markDead(delivery, 'store-refused');
      expect(await ledger().register([delivery])).toEqual({ duplicates: [delivery.eventId], unstorable: [] });
      expect(await ledger().get(delivery.eventId)).toEqual(
        rowOf(delivery, { state: 'dead', reason: 'store-refused', duplicates: 1 }),
      );
      expect(await ledger().register([{ ...delivery, redrive: true }])).toEqual({ duplicates: [], unstorable: [] });
      expect(await ledger().get(delivery.eventId)).toEqual(rowOf(delivery, { attempts: 2, duplicates: 1 }));
    });

    it('is dropped when it is dead and redriven for another widget', async () => {
      const delivery = await taken();
      await ledger().markDead(delivery, 'store-refused');
      const foreign = { ...delivery, widgetId: randomUUID(), redrive: true };
      expect(await ledger().register([foreign])).toEqual({ duplicates: [delivery.eventId], unstorable: [] });
      expect(await ledger().get(delivery.eventId)).toMatchObject({ state: 'dead', widgetId: delivery.widgetId });
    });

    it('has one row, also when many take it at once', async () => {
      const delivery = aDelivery();
      const outcomes = await Promise.all(Array.from({ length: 8 }, () => ledger().register([delivery])));
      expect(outcomes).toEqual(Array(8).fill({ duplicates: [], unstorable: [] }));
      expect(await ledger().get(delivery.eventId)).toEqual(rowOf(delivery, { attempts: 8 }));
    });
  });

  it('takes a batch of 256 of every kind in one call', async () => {
    const several = (count: number) => Array.from({ length: count }, () => aDelivery());
    const [known, done, fresh] = [several(64), several(64), several(128)];
    await ledger().register([...known, ...done]);
    await ledger().markPublished(
      done.map(({ eventId }) => ({ eventId, position })),
      publishedAt,
    );
    const { duplicates } = await ledger().register([...fresh, ...done, ...known]);
    expect([...duplicates].sort()).toEqual(done.map(({ eventId }) => eventId).sort());
    for (const delivery of fresh) expect(await ledger().get(delivery.eventId)).toEqual(rowOf(delivery));
  });

  it('takes nothing for nothing', async () => {
    expect(await ledger().register([])).toEqual({ duplicates: [], unstorable: [] });
    await ledger().markPublished([], publishedAt);
  });

  describe('a published delivery', () => {
    it('has its position, or none where the event was in the log already', async () => {
      const [a, b] = [await taken(), await taken()];
      const rows = [
        { eventId: a.eventId, position },
        { eventId: b.eventId, position: null },
      ];
      await ledger().markPublished(rows, publishedAt);
      expect(await ledger().get(a.eventId)).toEqual(rowOf(a, { state: 'published', publishedAt, position }));
      expect(await ledger().get(b.eventId)).toEqual(rowOf(b, { state: 'published', publishedAt, position: null }));
    });

    it('stays as it is', async () => {
      const delivery = await published();
      const row = { eventId: delivery.eventId, position: { ...position, seq: 43 } };
      await ledger().markPublished([row], new Date(publishedAt.getTime() + 1));
      await ledger().markDead(delivery, 'invalid-delivery');
      expect(await ledger().get(delivery.eventId)).toEqual(
        rowOf(delivery, { state: 'published', publishedAt, position }),
      );
    });

    it('must have been taken: marking makes no row', async () => {
      const eventId = randomUUID();
      await ledger().markPublished([{ eventId, position }], publishedAt);
      expect(await ledger().get(eventId)).toBeNull();
    });
  });

  describe('a dead delivery', () => {
    it('keeps its body and has a reason', async () => {
      const delivery = await taken({ payload: awkwardPayload });
      await ledger().markDead(delivery, 'invalid-delivery');
      expect(await ledger().get(delivery.eventId)).toEqual(
        rowOf(delivery, { state: 'dead', reason: 'invalid-delivery' }),
      );
    });

    it('may never have been taken', async () => {
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

    it('survives a reopen', async () => {
      const delivery = await taken();
      await ledger().markDead(delivery, 'store-refused');
      await store.reopen();
      expect(await ledger().register([delivery])).toEqual({ duplicates: [delivery.eventId], unstorable: [] });
    });
  });
});
