import type { Delivery } from '@widget-service/shared/domain/delivery.ts';
import { describe, expect, test } from 'vitest';
import { aDelivery } from '../../drivers/app/builders.ts';
import { openSharedApp } from '../../drivers/app/open-shared.ts';

const service = await openSharedApp();
const admin = await service.signedIn('admin');

const startedAtMs = Date.now();
const at = (second: number) => new Date(startedAtMs + second * 1_000);
const list = (query: Record<string, string> = {}, { cookie } = admin) =>
  service.get(`/api/v1/deliveries?${new URLSearchParams(query)}`, { cookie });
const listIds = async (query: Record<string, string>) =>
  (await list(query)).json().items.map(({ eventId }: Delivery) => eventId);

describe('GET /api/v1/deliveries', async () => {
  const [plant, shop, gone] = [
    await service.issueHookToken(),
    await service.issueHookToken(),
    await service.issueHookToken(),
  ];
  await service.backend.integrations.change(plant.integrationId, () => ({ name: 'Plant north' }));
  await service.backend.integrations.change(shop.integrationId, () => ({ name: 'Shop' }));
  await service.backend.integrations.remove(gone.integrationId);
  const deliveries = [plant, shop, gone, plant].map(({ integrationId }, index) =>
    aDelivery({ integrationId, receivedAt: at(index) }),
  );
  const [published, dead, deadOfDeleted, received] = deliveries.map(({ eventId }) => eventId);
  await service.backend.ledger.register(deliveries);
  await service.backend.ledger.markPublished([{ eventId: published ?? '', position: null, effect: null }], new Date());
  for (const delivery of deliveries.slice(1, 3)) await service.backend.ledger.markDead(delivery, 'store-refused');

  test('lists the deliveries of all integrations with their names, the last received first, in pages', async () => {
    const page = (await list()).json();
    expect(page).toMatchObject({ page: 1, pageSize: 50, totalItems: 4, totalPages: 1, hasNext: false });
    expect(page.items).toMatchObject([
      { eventId: received, integrationId: plant.integrationId, integrationName: 'Plant north', state: 'received' },
      { eventId: deadOfDeleted, integrationId: gone.integrationId, integrationName: null, state: 'dead' },
      { eventId: dead, integrationId: shop.integrationId, integrationName: 'Shop', reason: 'store-refused' },
      { eventId: published, integrationId: plant.integrationId, integrationName: 'Plant north', state: 'published' },
    ]);
    const second = (await list({ page: '2', pageSize: '3' })).json();
    expect(second).toMatchObject({ items: [{ eventId: published }], totalItems: 4, totalPages: 2, hasNext: false });
    expect((await list({ page: '9' })).json()).toMatchObject({ items: [], totalItems: 4 });
  });

  test('filters by state and by time', async () => {
    expect(await listIds({ state: 'dead' })).toEqual([deadOfDeleted, dead]);
    expect(await listIds({ state: 'published' })).toEqual([published]);
    expect(await listIds({ state: 'received' })).toEqual([received]);
    expect(await listIds({ state: 'discarded' })).toEqual([]);
    expect(await listIds({ from: at(1).toISOString(), to: at(3).toISOString() })).toEqual([deadOfDeleted, dead]);
    expect(await listIds({ state: 'dead', to: at(2).toISOString() })).toEqual([dead]);
  });
});
