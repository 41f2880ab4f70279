import type { Delivery } from '@widget-service/shared/domain/delivery.ts';
import { describe, expect, test } from 'vitest';
import { aDelivery, awkwardPayload } from '../../drivers/app/builders.ts';
import { openSharedApp } from '../../drivers/app/open-shared.ts';

const service = await openSharedApp();
const admin = await service.signedIn('admin');

const createIntegration = async () => (await service.issueHookToken()).integrationId;
const buildPath = (integrationId: string, eventId?: string) =>
  `/api/v1/integrations/${integrationId}/deliveries${eventId === undefined ? '' : `/${eventId}`}`;
const get = (url: string) => admin.get(url);

async function storeReceived(overrides: Partial<Delivery> = {}): Promise<Delivery> {
  const delivery = aDelivery(overrides);
  await service.backend.ledger.register([delivery]);
  return delivery;
}

async function storeDead(overrides: Partial<Delivery> = {}): Promise<Delivery> {
  const delivery = aDelivery(overrides);
  await service.backend.ledger.markDead(delivery, 'store-refused');
  return delivery;
}

describe('GET /api/v1/integrations/{id}/deliveries', () => {
  test('lists the newest delivery first, in pages, and filters by state', async () => {
    const integrationId = await createIntegration();
    // Recent times, because the server may remove deliveries that were published long ago.
    const startedAtMs = Date.now();
    const at = (seconds: number) => new Date(startedAtMs + seconds * 1_000);
    const received = await storeReceived({ integrationId, receivedAt: at(1) });
    const published = await storeReceived({ integrationId, receivedAt: at(2) });
    const position = { epoch: 'e1', ms: 1_764_000_000_000, seq: 7 };
    const effect = { version: 3, state: 'retired', stateChanged: true, late: false } as const;
    await service.backend.ledger.markPublished([{ eventId: published.eventId, position, effect }], at(3));
    const dead = await storeDead({ integrationId, receivedAt: at(4) });
    await storeReceived({ receivedAt: at(5) });

    const all = (await get(buildPath(integrationId))).json();
    expect(all).toMatchObject({ page: 1, pageSize: 50, totalItems: 3, totalPages: 1, hasNext: false });
    expect(all.items.map(({ eventId }: { eventId: string }) => eventId)).toEqual(
      [dead, published, received].map(({ eventId }) => eventId),
    );
    expect(all.items[1]).toEqual({
      eventId: published.eventId,
      integrationId,
      integrationName: 'sender',
      kind: published.kind,
      occurredAt: published.occurredAt,
      receivedAt: at(2).toISOString(),
      widgetId: published.widgetId,
      state: 'published',
      attempts: 1,
      duplicates: 0,
      reason: null,
      publishedAt: at(3).toISOString(),
      position: 'e1.1764000000000.7',
      effect,
    });

    const secondPage = (await get(`${buildPath(integrationId)}?page=2&pageSize=2`)).json();
    expect(secondPage).toMatchObject({ totalItems: 3, totalPages: 2, hasNext: false });
    expect(secondPage.items).toHaveLength(1);
    expect((await get(`${buildPath(integrationId)}?pageSize=2`)).json()).toMatchObject({
      totalItems: 3,
      hasNext: true,
    });
    expect((await get(`${buildPath(integrationId)}?page=9`)).json()).toMatchObject({ items: [], totalItems: 3 });
    for (const [state, { eventId }] of Object.entries({ received, published, dead })) {
      const page = (await get(`${buildPath(integrationId)}?state=${state}`)).json();
      expect(page.items).toEqual([expect.objectContaining({ eventId, state })]);
    }
  });
});

describe('GET /api/v1/integrations/{id}/deliveries/{eventId}', () => {
  test('returns the text of the payload as it was sent', async () => {
    const integrationId = await createIntegration();
    const { eventId } = await storeReceived({ integrationId, payload: awkwardPayload });
    const response = await get(buildPath(integrationId, eventId.toUpperCase()));
    expect(response.statusCode).toBe(200);
    expect(response.body.endsWith(`,"payload":${awkwardPayload},"event":null}`)).toBe(true);
    expect(response.json()).toMatchObject({ eventId, state: 'received', reason: null, integrationName: 'sender' });
  });

  test('returns a null payload and the reason for a dead delivery without a payload', async () => {
    const integrationId = await createIntegration();
    const { eventId } = await storeDead({ integrationId, payload: null, widgetId: null });
    expect((await get(buildPath(integrationId, eventId))).json()).toMatchObject({
      payload: null,
      widgetId: null,
      state: 'dead',
      reason: 'store-refused',
    });
  });
});
