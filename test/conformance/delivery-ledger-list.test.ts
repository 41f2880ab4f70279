import { randomUUID } from 'node:crypto';
import type { Delivery } from '@widget-service/shared/domain/hook-event.ts';
import type { DeliveryState, LedgerRow } from '@widget-service/shared/ports/delivery-ledger.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { aDelivery, awkwardPayload } from '../drivers/builders.ts';
import { openTestBackend } from '../drivers/open-test-backend.ts';
import type { TestBackend } from '../drivers/test-backend.ts';

/** Of now: what was published long ago is removed by the server, whenever it looks. */
const startedAtMs = Date.now();
const later = (ms: number) => new Date(startedAtMs + ms);
const idsOf = (rows: readonly { readonly eventId: string }[]) => rows.map(({ eventId }) => eventId);
const all = { offset: 0, limit: 100 };

describe('DeliveryLedger, listing', () => {
  let store: TestBackend;
  beforeAll(async () => {
    store = await openTestBackend();
  });
  afterAll(() => store.dispose());
  const ledger = () => store.backend.ledger;

  /** Deliveries of one integration in the given states, the first received first. */
  async function deliveriesIn(...states: DeliveryState[]): Promise<Delivery[]> {
    const integrationId = randomUUID();
    const deliveries = states.map((_, index) => aDelivery({ integrationId, receivedAt: later(index) }));
    await ledger().register(deliveries);
    const position = { epoch: 'k3f9', ms: 1, seq: 1 };
    for (const [index, delivery] of deliveries.entries()) {
      const { eventId } = delivery;
      if (states[index] === 'published') await ledger().markPublished([{ eventId, position }], later(1_000));
      if (states[index] === 'dead') await ledger().markDead(delivery, 'store-refused');
    }
    return deliveries;
  }

  const integrationOf = ([first]: readonly Delivery[]) => first?.integrationId ?? '';

  it('shows each row as it is kept, but for the payload', async () => {
    const [delivery] = await deliveriesIn('published');
    const { payload: _, ...row } = (await ledger().get(delivery?.eventId ?? '')) as LedgerRow;
    expect(row).toMatchObject({ state: 'published', publishedAt: later(1_000) });
    expect(await ledger().list({ integrationId: row.integrationId, state: null }, all)).toEqual([row]);
  });

  it('gives the newest first, and of those received at once the one with the higher id', async () => {
    const integrationId = randomUUID();
    const at = (ms: number) => aDelivery({ integrationId, receivedAt: later(ms) });
    const deliveries = [at(1), at(3), at(3), at(3), at(2)];
    await ledger().register(deliveries);
    const [oldest, ...rest] = deliveries;
    const second = rest.pop();
    const newest = idsOf(rest).sort().reverse();
    expect(idsOf(await ledger().list({ integrationId, state: null }, all))).toEqual([
      ...newest,
      second?.eventId,
      oldest?.eventId,
    ]);
  });

  it('gives the rows of a range', async () => {
    const deliveries = await deliveriesIn(...Array<DeliveryState>(7).fill('received'));
    const newestFirst = idsOf(deliveries).reverse();
    const filter = { integrationId: integrationOf(deliveries), state: null };
    expect(idsOf(await ledger().list(filter, { offset: 2, limit: 3 }))).toEqual(newestFirst.slice(2, 5));
    expect(idsOf(await ledger().list(filter, { offset: 6, limit: 3 }))).toEqual(newestFirst.slice(6));
    expect(await ledger().list(filter, { offset: 7, limit: 3 })).toEqual([]);
  });

  it.each<DeliveryState>(['received', 'published', 'dead'])(
    'gives and counts only those that are %s',
    async (state) => {
      const states: DeliveryState[] = ['received', 'published', 'dead', 'dead', 'published', 'received', 'published'];
      const deliveries = await deliveriesIn(...states);
      const wanted = idsOf(deliveries.filter((_, index) => states[index] === state)).reverse();
      const filter = { integrationId: integrationOf(deliveries), state };
      expect(idsOf(await ledger().list(filter, all))).toEqual(wanted);
      expect(idsOf(await ledger().list(filter, { offset: 1, limit: 1 }))).toEqual(wanted.slice(1, 2));
      expect(await ledger().count(filter, 100)).toBe(wanted.length);
    },
  );

  it('moves a row between the states as it changes', async () => {
    const [delivery] = await deliveriesIn('dead');
    const integrationId = delivery?.integrationId ?? '';
    const counts = async () => ({
      dead: await ledger().count({ integrationId, state: 'dead' }, 9),
      received: await ledger().count({ integrationId, state: 'received' }, 9),
      published: await ledger().count({ integrationId, state: 'published' }, 9),
    });
    expect(await counts()).toEqual({ dead: 1, received: 0, published: 0 });
    await ledger().register([{ ...(delivery as Delivery), redrive: true }]);
    expect(await counts()).toEqual({ dead: 0, received: 1, published: 0 });
    await ledger().markPublished([{ eventId: delivery?.eventId ?? '', position: null }], later(1));
    expect(await counts()).toEqual({ dead: 0, received: 0, published: 1 });
  });

  it('counts no further than it is asked to', async () => {
    const deliveries = await deliveriesIn(...Array<DeliveryState>(5).fill('received'));
    const filter = { integrationId: integrationOf(deliveries), state: null };
    expect(await ledger().count(filter, 3)).toBe(3);
    expect(await ledger().count(filter, 5)).toBe(5);
    expect(await ledger().count(filter, 10_000)).toBe(5);
  });

  it('knows nothing of an integration without deliveries', async () => {
    const filter = { integrationId: randomUUID(), state: null };
    expect(await ledger().list(filter, all)).toEqual([]);
    expect(await ledger().count(filter, 10)).toBe(0);
  });

  it('keeps a malformed delivery with what could be read of it', async () => {
    const broken = {
      eventId: randomUUID(),
      integrationId: randomUUID(),
      kind: 'archived',
      occurredAt: '',
      widgetId: null,
      payload: awkwardPayload,
      receivedAt: later(0),
    };
    await ledger().markDead(broken, 'invalid-delivery');
    const row = { ...broken, state: 'dead', reason: 'invalid-delivery', attempts: 0, duplicates: 0 };
    expect(await ledger().get(broken.eventId)).toEqual({ ...row, publishedAt: null, position: null });
    expect(await ledger().list({ integrationId: broken.integrationId, state: 'dead' }, all)).toHaveLength(1);
  });

  it('forgets what was published longer ago than it is kept, and nothing else', async () => {
    const deliveries = await deliveriesIn('published', 'dead', 'received');
    const filter = { integrationId: integrationOf(deliveries), state: null };
    await store.backend.removeExpired(new Date(later(1_000).getTime() + 8 * 86_400_000));
    const left = await ledger().list(filter, all);
    // On the cluster the server itself removes old rows, by its own clock and in its own time.
    const expected =
      store.backend.kind === 'embedded' ? ['received', 'dead'] : expect.arrayContaining(['received', 'dead']);
    expect(left.map(({ state }) => state)).toEqual(expected);
  });
});
