import { randomUUID } from 'node:crypto';
import type { Delivery } from '@widget-service/shared/domain/hook-event.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { aDelivery, awkwardPayload } from '../../drivers/builders.ts';
import { expectProblem } from '../../drivers/expect-problem.ts';
import { openTestApp, type TestApp, type TestCaller } from '../../drivers/test-app.ts';

let service: TestApp;
let admin: TestCaller;
beforeAll(async () => {
  service = await openTestApp();
  admin = await service.signedIn('admin');
});
afterAll(() => service.close());

const anIntegration = async () => (await service.issueHookToken()).integrationId;
const pathOf = (integrationId: string, eventId?: string) =>
  `/api/v1/integrations/${integrationId}/deliveries${eventId === undefined ? '' : `/${eventId}`}`;
const get = (url: string) => service.inject({ method: 'GET', url, headers: { cookie: admin.cookie } });
const redrive = (integrationId: string, eventId: string) =>
  service.inject({ method: 'POST', url: `${pathOf(integrationId, eventId)}/redrive`, headers: admin.headers });

async function taken(overrides: Partial<Delivery> = {}): Promise<Delivery> {
  const delivery = aDelivery(overrides);
  await service.backend.ledger.register([delivery]);
  return delivery;
}

async function dead(overrides: Partial<Delivery> = {}): Promise<Delivery> {
  const delivery = aDelivery(overrides);
  await service.backend.ledger.markDead(delivery, 'store-refused');
  return delivery;
}

describe('the list', () => {
  test('is newest first, in pages, by what became of the hooks', async () => {
    const integrationId = await anIntegration();
    // Of now: what was published long ago is removed by the server, whenever it looks.
    const startedAtMs = Date.now();
    const at = (second: number) => new Date(startedAtMs + second * 1_000);
    const received = await taken({ integrationId, receivedAt: at(1) });
    const published = await taken({ integrationId, receivedAt: at(2) });
    const position = { epoch: 'e1', ms: 1_764_000_000_000, seq: 7 };
    await service.backend.ledger.markPublished([{ eventId: published.eventId, position }], at(3));
    const given = await dead({ integrationId, receivedAt: at(4) });
    await taken({ receivedAt: at(5) });

    const all = (await get(pathOf(integrationId))).json();
    expect(all).toMatchObject({ page: 1, pageSize: 50, totalItems: 3, totalPages: 1, hasNext: false });
    expect(all.items.map(({ eventId }: { eventId: string }) => eventId)).toEqual(
      [given, published, received].map(({ eventId }) => eventId),
    );
    expect(all.items[1]).toEqual({
      eventId: published.eventId,
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
    });

    const second = (await get(`${pathOf(integrationId)}?page=2&pageSize=2`)).json();
    expect(second).toMatchObject({ totalItems: 3, totalPages: 2, hasNext: false });
    expect(second.items).toHaveLength(1);
    expect((await get(`${pathOf(integrationId)}?pageSize=2`)).json()).toMatchObject({ totalItems: 3, hasNext: true });
    expect((await get(`${pathOf(integrationId)}?page=9`)).json()).toMatchObject({ items: [], totalItems: 3 });
    for (const [state, { eventId }] of Object.entries({ received, published, dead: given })) {
      const page = (await get(`${pathOf(integrationId)}?state=${state}`)).json();
      expect(page.items).toEqual([expect.objectContaining({ eventId, state })]);
    }
  });

  test('of an integration without hooks is empty', async () => {
    expect((await get(pathOf(await anIntegration()))).json()).toMatchObject({
      items: [],
      totalItems: 0,
      totalPages: 0,
    });
  });

  test.each([['state=lost'], ['page=0'], ['kind=updated'], ['state=dead&state=dead']])('refuses ?%s', async (query) => {
    const response = await get(`${pathOf(await anIntegration())}?${query}`);
    expectProblem(response, { status: 400, code: 'invalid-request' });
  });
});

describe('one delivery', () => {
  test('shows its payload as it was written', async () => {
    const integrationId = await anIntegration();
    const { eventId } = await taken({ integrationId, payload: awkwardPayload });
    const response = await get(pathOf(integrationId, eventId.toUpperCase()));
    expect(response.statusCode).toBe(200);
    expect(response.body.endsWith(`,"payload":${awkwardPayload}}`)).toBe(true);
    expect(response.json()).toMatchObject({ eventId, state: 'received', reason: null });
  });

  test('without a payload has null there', async () => {
    const integrationId = await anIntegration();
    const { eventId } = await dead({ integrationId, payload: null, widgetId: null });
    expect((await get(pathOf(integrationId, eventId))).json()).toMatchObject({
      payload: null,
      widgetId: null,
      state: 'dead',
      reason: 'store-refused',
    });
  });
});

describe('404: nothing is told of', () => {
  test.each<[string, () => Promise<[string, string]>]>([
    ['a hook that no worker has taken', async () => [await anIntegration(), randomUUID()]],
    [
      'another integration’s',
      async () => [await anIntegration(), (await dead({ integrationId: await anIntegration() })).eventId],
    ],
    ['an unknown integration’s', async () => [randomUUID(), (await dead()).eventId]],
    ['a malformed id', async () => [await anIntegration(), 'no-uuid']],
    ['a malformed integration id', async () => ['no-uuid', randomUUID()]],
  ])('%s', async (_, make) => {
    const [integrationId, eventId] = await make();
    expectProblem(await get(pathOf(integrationId, eventId)), { status: 404, code: 'not-found' });
    expectProblem(await redrive(integrationId, eventId), { status: 404, code: 'not-found' });
  });

  test('the list of an unknown integration', async () => {
    expectProblem(await get(pathOf(randomUUID())), { status: 404, code: 'not-found' });
    expectProblem(await get(pathOf('no-uuid')), { status: 404, code: 'not-found' });
  });
});

describe('redrive', () => {
  test('queues a dead delivery as it was received, and says so', async () => {
    const integrationId = await anIntegration();
    const delivery = await dead({ integrationId, payload: awkwardPayload });
    const items: unknown[] = [];
    const response = await redrive(integrationId, delivery.eventId);
    expect(response.statusCode).toBe(202);
    expect(response.json()).toMatchObject({ eventId: delivery.eventId, state: 'dead', reason: 'store-refused' });
    const consumer = await service.backend.hookQueue.consume(async (batch) => {
      items.push(...batch.items);
      return 'done';
    });
    await expect
      .poll(() => items, { timeout: 10_000 })
      .toEqual([{ type: 'delivery', delivery: { ...delivery, redrive: true } }]);
    await consumer.close();
  });

  test.each(['received', 'published'] as const)('409: not one that is %s', async (state) => {
    const integrationId = await anIntegration();
    const { eventId } = await taken({ integrationId });
    if (state === 'published') await service.backend.ledger.markPublished([{ eventId, position: null }], new Date());
    expectProblem(await redrive(integrationId, eventId), { status: 409, code: 'delivery-not-dead' });
  });
});
