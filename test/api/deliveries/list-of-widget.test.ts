import { randomUUID } from 'node:crypto';
import { parsePosition } from '@widget-service/shared/domain/sse-id.ts';
import { systemClock } from '@widget-service/shared/runtime/clock.ts';
import { describe, expect, test } from 'vitest';
import { aCreation, aDelivery, awkwardPayload } from '../../drivers/app/builders.ts';
import { openSharedApp } from '../../drivers/app/open-shared.ts';
import { consumeUntil } from '../../processing/consume.ts';

const service = await openSharedApp();
const viewer = await service.signedIn('viewer');

async function storeWidget(): Promise<string> {
  const creation = aCreation();
  await service.backend.widgets.insertOnce(creation);
  return creation.widget.id;
}

const get = (widgetId: string, query = '', { cookie } = viewer) =>
  service.get(`/api/v1/widgets/${widgetId}/deliveries${query}`, { cookie });

async function postHook(token: string, hook: object): Promise<string> {
  const response = await service.post(`/api/v1/events/hooks/${token}`, hook);
  expect(response.statusCode).toBe(202);
  return String(response.headers['webhook-event-id']);
}

const countPublished = async (widgetId: string) =>
  (await service.backend.ledger.list({ widgetId }, { offset: 0, limit: 100 })).filter(
    (row) => row?.state === 'published',
  ).length;

describe('GET /api/v1/widgets/{id}/deliveries', () => {
  test('shows a viewer what each hook changed, of all integrations, the last received first', async () => {
    const widgetId = await storeWidget();
    const [one, other] = [await service.issueHookToken(), await service.issueHookToken()];
    const hooks = [
      { token: one.token, kind: 'updated', occurredAt: '2026-03-02T10:00:00.000Z' },
      { token: other.token, kind: 'retired', occurredAt: '2026-03-03T10:00:00.000Z' },
      { token: one.token, kind: 'updated', occurredAt: '2026-03-01T10:00:00Z' },
    ];
    const eventIds: string[] = [];
    for (const [index, { token, ...hook }] of hooks.entries()) {
      eventIds.push(await postHook(token, { ...hook, widgetId }));
      await consumeUntil(service.backend, async () => (await countPublished(widgetId)) === index + 1, systemClock);
    }
    await postHook(one.token, { kind: 'updated', occurredAt: '2026-03-01T10:00:00Z', widgetId: randomUUID() });

    const response = await get(widgetId);
    expect(response.statusCode).toBe(200);
    expect(response.json()).toMatchObject({ page: 1, totalItems: 3, totalPages: 1, hasNext: false });
    expect(response.json().items).toMatchObject([
      {
        eventId: eventIds[2],
        integrationId: one.integrationId,
        occurredAt: '2026-03-01T10:00:00Z',
        effect: { version: 4, state: 'retired', stateChanged: false, late: true },
      },
      {
        eventId: eventIds[1],
        integrationId: other.integrationId,
        kind: 'retired',
        effect: { version: 3, state: 'retired', stateChanged: true, late: false },
      },
      {
        eventId: eventIds[0],
        state: 'published',
        position: expect.any(String),
        effect: { version: 2, state: 'active', stateChanged: false, late: false },
      },
    ]);
    // The event of the second one, as streams send it.
    const admin = await service.signedIn('admin');
    const url = `/api/v1/integrations/${other.integrationId}/deliveries/${eventIds[1]}`;
    const { event } = (await admin.get(url)).json();
    expect(event).toMatchObject({
      id: eventIds[1],
      type: 'widget.retired',
      data: { stateChanged: true, widget: { id: widgetId, version: 3 } },
    });
    // As after a loss of the log: the position of a delivery has the event of another one.
    const misplaced = aDelivery({ integrationId: other.integrationId });
    const position = parsePosition(response.json().items[1].position);
    await service.backend.ledger.register([misplaced]);
    await service.backend.ledger.markPublished([{ eventId: misplaced.eventId, position, effect: null }], new Date());
    const misplacedUrl = `/api/v1/integrations/${other.integrationId}/deliveries/${misplaced.eventId}`;
    const found = await admin.get(misplacedUrl);
    expect(found.json()).toMatchObject({ eventId: misplaced.eventId, event: null });
    expect((await get(widgetId, '?page=2&pageSize=2')).json()).toMatchObject({
      items: [{ eventId: eventIds[0] }],
      totalItems: 3,
      hasNext: false,
    });
  });

  test('names the integration of each delivery as it is called now, or not at all once it is deleted', async () => {
    const widgetId = await storeWidget();
    const [renamed, deleted] = [await service.issueHookToken(), await service.issueHookToken()];
    const receivedAt = new Date();
    const deliveries = [renamed, deleted, renamed].map(({ integrationId }, index) =>
      aDelivery({ widgetId, integrationId, receivedAt: new Date(receivedAt.getTime() + index) }),
    );
    await service.backend.ledger.register(deliveries);
    await service.backend.integrations.change(renamed.integrationId, () => ({ name: 'Plant north' }));
    await service.backend.integrations.remove(deleted.integrationId);
    const { items } = (await get(widgetId)).json();
    expect(items.map(({ integrationName }: { integrationName: unknown }) => integrationName)).toEqual([
      'Plant north',
      null,
      'Plant north',
    ]);
  });

  test('shows the payload of each hook as it was sent, unless it is long', async () => {
    const widgetId = await storeWidget();
    const long = `{"text":"${'x'.repeat(4_096)}"}`;
    const nowMs = Date.now();
    const deliveries = [awkwardPayload, null, long].map((payload, index) =>
      aDelivery({ widgetId, payload, receivedAt: new Date(nowMs - index) }),
    );
    await service.backend.ledger.register(deliveries);
    const response = await get(widgetId);
    expect(response.body).toContain(`"payload":${awkwardPayload}`);
    const items: { payload: unknown }[] = response.json().items;
    expect(items.map(({ payload }) => payload)).toEqual([JSON.parse(awkwardPayload), null, null]);
  });

  test('shows hooks without an effect: one that is not processed to its end yet, and a dead one', async () => {
    const widgetId = await storeWidget();
    const received = aDelivery({ widgetId, receivedAt: new Date(Date.now() - 1_000) });
    const dead = aDelivery({ widgetId, receivedAt: new Date() });
    await service.backend.ledger.register([received]);
    await service.backend.ledger.markDead(dead, 'store-refused');
    expect((await get(widgetId.toUpperCase())).json().items).toMatchObject([
      { eventId: dead.eventId, state: 'dead', reason: 'store-refused', effect: null },
      { eventId: received.eventId, state: 'received', effect: null },
    ]);
  });
});
