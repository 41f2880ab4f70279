import { randomUUID } from 'node:crypto';
import type { Delivery } from '@widget-service/shared/domain/delivery.ts';
import type { DeliveryLedger, DeliveryState, LedgerRow } from '@widget-service/shared/ports/delivery-ledger.ts';
import { describe, expect, test } from 'vitest';
import { aDelivery, awkwardPayload } from '../drivers/app/builders.ts';
import { openSharedBackend } from '../drivers/app/open-shared.ts';
import { requireReadable } from '../drivers/app/require-readable.ts';

/** The current time: MongoDB removes rows that were published before the retention, at any moment. */
const startedAtMs = Date.now();
const afterStart = (ms: number) => new Date(startedAtMs + ms);
const getEventIds = (rows: readonly { readonly eventId: string }[]) => rows.map(({ eventId }) => eventId);
const firstHundred = { offset: 0, limit: 100 };

describe('DeliveryLedger.list and count', async () => {
  const testBackend = await openSharedBackend();
  const ledger = () => testBackend.backend.ledger;
  const list = async (...args: Parameters<DeliveryLedger['list']>) => requireReadable(await ledger().list(...args));

  /** Inserts deliveries of one new integration in the given states, oldest first. */
  async function insertDeliveries(...states: DeliveryState[]): Promise<Delivery[]> {
    const integrationId = randomUUID();
    const deliveries = states.map((_, index) => aDelivery({ integrationId, receivedAt: afterStart(index) }));
    await ledger().register(deliveries);
    const position = { epoch: 'k3f9', ms: 1, seq: 1 };
    const effect = { version: 2, state: 'retired', stateChanged: true, late: false } as const;
    for (const [index, delivery] of deliveries.entries()) {
      const { eventId } = delivery;
      if (states[index] === 'published')
        await ledger().markPublished([{ eventId, position, effect }], afterStart(1_000));
      if (states[index] === 'dead') await ledger().markDead(delivery, 'store-refused');
    }
    return deliveries;
  }

  const getIntegrationId = ([first]: readonly Delivery[]) => first?.integrationId ?? '';

  test('returns each row without its payload', async () => {
    const [delivery] = await insertDeliveries('published');
    const { payload: _, ...row } = (await ledger().get(delivery?.eventId ?? '')) as LedgerRow;
    expect(row).toMatchObject({ state: 'published', publishedAt: afterStart(1_000), effect: { version: 2 } });
    expect(await list({ integrationId: row.integrationId, state: null }, firstHundred)).toEqual([row]);
  });

  test('returns the payloads of deliveries, as they were sent, without long ones and those that have none', async () => {
    const texts = [awkwardPayload, `{"a":"${'ä'.repeat(10)}"}`, `{"a":"${'ä'.repeat(100)}"}`, null];
    const deliveries = texts.map((payload) => aDelivery({ payload }));
    await ledger().register(deliveries);
    const eventIds = [...getEventIds(deliveries), randomUUID(), 'no UUID'];
    const [awkward, short, long] = deliveries;
    expect(await ledger().getPayloads(eventIds, 208)).toEqual(
      new Map([awkward, short, long].map((delivery) => [delivery?.eventId, delivery?.payload])),
    );
    expect((await ledger().getPayloads(eventIds, 207)).has(long?.eventId ?? '')).toBe(false);
    expect(await ledger().getPayloads([], 100)).toEqual(new Map());
  });

  test('orders rows by receivedAt, then by event id, both descending', async () => {
    const integrationId = randomUUID();
    const at = (ms: number) => aDelivery({ integrationId, receivedAt: afterStart(ms) });
    const deliveries = [at(1), at(3), at(3), at(3), at(2)];
    await ledger().register(deliveries);
    const [oldest, ...rest] = deliveries;
    const second = rest.pop();
    const newest = getEventIds(rest).sort().reverse();
    expect(getEventIds(await list({ integrationId, state: null }, firstHundred))).toEqual([
      ...newest,
      second?.eventId,
      oldest?.eventId,
    ]);
  });

  test.each<DeliveryState>(['received', 'published', 'dead'])(
    'returns and counts only rows that are %s',
    async (state) => {
      const states: DeliveryState[] = ['received', 'published', 'dead', 'dead', 'published', 'received', 'published'];
      const deliveries = await insertDeliveries(...states);
      const wanted = getEventIds(deliveries.filter((_, index) => states[index] === state)).reverse();
      const filter = { integrationId: getIntegrationId(deliveries), state };
      expect(getEventIds(await list(filter, firstHundred))).toEqual(wanted);
      expect(getEventIds(await list(filter, { offset: 1, limit: 1 }))).toEqual(wanted.slice(1, 2));
      expect(await ledger().count(filter, 100)).toBe(wanted.length);
    },
  );

  test('counts a row under its current state', async () => {
    const [delivery] = await insertDeliveries('dead');
    const integrationId = delivery?.integrationId ?? '';
    const countByState = async () => ({
      dead: await ledger().count({ integrationId, state: 'dead' }, 9),
      received: await ledger().count({ integrationId, state: 'received' }, 9),
      published: await ledger().count({ integrationId, state: 'published' }, 9),
    });
    expect(await countByState()).toEqual({ dead: 1, received: 0, published: 0 });
    await ledger().register([{ ...(delivery as Delivery), redrive: true }]);
    expect(await countByState()).toEqual({ dead: 0, received: 1, published: 0 });
    await ledger().markPublished([{ eventId: delivery?.eventId ?? '', position: null, effect: null }], afterStart(1));
    expect(await countByState()).toEqual({ dead: 0, received: 0, published: 1 });
  });

  test('counts up to atMost', async () => {
    const deliveries = await insertDeliveries(...Array<DeliveryState>(5).fill('received'));
    const filter = { integrationId: getIntegrationId(deliveries), state: null };
    expect(await ledger().count(filter, 3)).toBe(3);
    expect(await ledger().count(filter, 5)).toBe(5);
    expect(await ledger().count(filter, 10_000)).toBe(5);
  });

  test.each<DeliveryState | null>([null, 'received', 'published', 'dead'])(
    'returns and counts only rows received within a range of time, in state %s',
    async (state) => {
      const deliveries = await insertDeliveries(...Array<DeliveryState>(5).fill(state ?? 'dead'));
      const filter = { integrationId: getIntegrationId(deliveries), state };
      const newestFirst = getEventIds(deliveries).reverse();
      const within = { ...filter, receivedFrom: afterStart(1), receivedBefore: afterStart(3) };
      expect(getEventIds(await list(within, firstHundred))).toEqual(newestFirst.slice(2, 4));
      expect(await ledger().count(within, 100)).toBe(2);
      const from = { ...filter, receivedFrom: afterStart(3) };
      expect(getEventIds(await list(from, firstHundred))).toEqual(newestFirst.slice(0, 2));
      const before = { ...filter, receivedBefore: afterStart(3) };
      expect(getEventIds(await list(before, { offset: 1, limit: 1 }))).toEqual(newestFirst.slice(3, 4));
      expect(await ledger().count(before, 100)).toBe(3);
    },
  );

  test('returns and counts only the rows that the list shows after a given one', async () => {
    const [integrationId, widgetId] = [randomUUID(), randomUUID()];
    const deliveries = [0, 1, 1, 1, 2].map((ms) => aDelivery({ integrationId, widgetId, receivedAt: afterStart(ms) }));
    await ledger().register(deliveries);
    for (const delivery of deliveries) await ledger().markDead(delivery, 'store-refused');
    const within = { receivedFrom: afterStart(0), receivedBefore: afterStart(2) };
    for (const filter of [{ integrationId, state: null }, { integrationId, state: 'dead' }, { widgetId }] as const) {
      const all = await list(filter, firstHundred);
      for (const [index, listedAfter] of all.entries()) {
        expect(await list({ ...filter, listedAfter }, firstHundred)).toEqual(all.slice(index + 1));
        expect(await ledger().count({ ...filter, listedAfter }, 100)).toBe(all.length - index - 1);
        expect(await list({ ...filter, ...within, listedAfter }, firstHundred)).toEqual(all.slice(index + 1));
      }
      const listedAfter = { receivedAt: afterStart(1), eventId: '00000000-0000-0000-0000-000000000000' };
      expect(await list({ ...filter, listedAfter }, firstHundred)).toEqual(all.slice(4));
      expect(await list({ ...filter, receivedFrom: afterStart(2), listedAfter }, firstHundred)).toEqual([]);
    }
  });

  test('returns the rows that name a widget, of all integrations and in every state', async () => {
    const widgetId = randomUUID();
    const ofWidget = [0, 1, 2].map((ms) => aDelivery({ widgetId, receivedAt: afterStart(ms) }));
    const others = [aDelivery({ receivedAt: afterStart(3) }), aDelivery({ widgetId: null, receivedAt: afterStart(4) })];
    const [dead, published] = ofWidget as [Delivery, Delivery];
    await ledger().register([...ofWidget, ...others]);
    await ledger().markDead(dead, 'store-refused');
    await ledger().markPublished([{ eventId: published.eventId, position: null, effect: null }], afterStart(5));

    const rows = await list({ widgetId }, firstHundred);
    expect(getEventIds(rows)).toEqual(getEventIds(ofWidget).reverse());
    expect(rows.map(({ state }) => state)).toEqual(['received', 'published', 'dead']);
    expect(getEventIds(await list({ widgetId }, { offset: 1, limit: 1 }))).toEqual([published.eventId]);
    expect(await ledger().count({ widgetId }, 100)).toBe(3);
    expect(await ledger().count({ widgetId }, 2)).toBe(2);
    const within = { widgetId, receivedFrom: afterStart(1), receivedBefore: afterStart(2) };
    expect(getEventIds(await list(within, firstHundred))).toEqual([published.eventId]);
    expect(await ledger().count(within, 100)).toBe(1);
  });

  test.each<DeliveryState | null>([null, 'received', 'published', 'dead', 'discarded'])(
    'returns and counts the rows of all integrations, in state %s',
    async (state) => {
      // A range of time of its own: other tests share the ledger. After the start, so that no published row expires.
      const start = 100_000 + 1_000 * [null, 'received', 'published', 'dead', 'discarded'].indexOf(state);
      const deliveries: Delivery[] = [];
      for (const [index, rowState] of (['dead', 'received', 'published', 'discarded'] as const).entries()) {
        for (const ms of [index, 10 + index, 10 + index]) {
          const delivery = aDelivery({ receivedAt: afterStart(start + ms) });
          await ledger().register([delivery]);
          const { eventId, integrationId } = delivery;
          if (rowState === 'published')
            await ledger().markPublished([{ eventId, position: null, effect: null }], new Date());
          if (rowState === 'dead' || rowState === 'discarded') await ledger().markDead(delivery, 'store-refused');
          if (rowState === 'discarded') await ledger().discard(integrationId, eventId, new Date());
          if (state === null || state === rowState) deliveries.push(delivery);
        }
      }
      const expected = deliveries.toSorted(
        (a, b) => b.receivedAt.getTime() - a.receivedAt.getTime() || (a.eventId < b.eventId ? 1 : -1),
      );
      const filter = {
        integrationId: null,
        state,
        receivedFrom: afterStart(start),
        receivedBefore: afterStart(start + 900),
      };
      expect(getEventIds(await list(filter, firstHundred))).toEqual(getEventIds(expected));
      expect(getEventIds(await list(filter, { offset: 1, limit: 1 }))).toEqual(getEventIds(expected.slice(1, 2)));
      expect(await ledger().count(filter, 100)).toBe(expected.length);
      expect(await ledger().count(filter, 2)).toBe(2);
      const [newest] = await list(filter, { offset: 0, limit: 1 });
      expect(newest).toMatchObject({ integrationId: expected[0]?.integrationId });
      expect(newest).not.toHaveProperty('payload');
      const within = { ...filter, receivedBefore: afterStart(start + 10) };
      expect(await ledger().count(within, 100)).toBe(expected.length / 3);
    },
  );

  test('counts the dead rows of every integration, and stops after atMost rows', async () => {
    const [first, second] = [
      await insertDeliveries('dead', 'published', 'dead', 'received'),
      await insertDeliveries('received', 'dead'),
    ];
    const none = await insertDeliveries('published', 'received');
    const counts = await ledger().countDead(10_000);
    expect(counts.get(getIntegrationId(first))).toBe(2);
    expect(counts.get(getIntegrationId(second))).toBe(1);
    expect(counts.has(getIntegrationId(none))).toBe(false);
    const sum = (map: ReadonlyMap<string, number>) => [...map.values()].reduce((total, count) => total + count, 0);
    expect(sum(await ledger().countDead(2))).toBe(2);
  });

  test('returns no rows for a widget that no delivery names, and for a text that is no UUID', async () => {
    for (const widgetId of [randomUUID(), 'no-uuid', '']) {
      expect(await list({ widgetId }, firstHundred)).toEqual([]);
      expect(await ledger().count({ widgetId }, 10)).toBe(0);
    }
  });

  test('returns a malformed delivery with its readable members', async () => {
    const broken = {
      eventId: randomUUID(),
      integrationId: randomUUID(),
      kind: 'archived',
      occurredAt: '',
      widgetId: null,
      payload: awkwardPayload,
      receivedAt: afterStart(0),
    };
    await ledger().markDead(broken, 'invalid-delivery');
    const row = { ...broken, state: 'dead', reason: 'invalid-delivery', attempts: 0, duplicates: 0 };
    expect(await ledger().get(broken.eventId)).toEqual({ ...row, publishedAt: null, position: null, effect: null });
    expect(await list({ integrationId: broken.integrationId, state: 'dead' }, firstHundred)).toHaveLength(1);
  });

  test('keeps received and dead rows when published rows pass their retention', async () => {
    const deliveries = await insertDeliveries('published', 'dead', 'received');
    const filter = { integrationId: getIntegrationId(deliveries), state: null };
    await testBackend.backend.removeExpired(new Date(afterStart(1_000).getTime() + 8 * 86_400_000));
    const remaining = await list(filter, firstHundred);
    // On the cluster removeExpired does nothing. MongoDB removes old rows by its own clock, at most once a minute.
    const expected =
      testBackend.backend.kind === 'embedded' ? ['received', 'dead'] : expect.arrayContaining(['received', 'dead']);
    expect(remaining.map(({ state }) => state)).toEqual(expected);
  });
});
