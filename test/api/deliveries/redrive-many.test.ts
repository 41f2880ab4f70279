import { randomUUID } from 'node:crypto';
import type { Delivery } from '@widget-service/shared/domain/delivery.ts';
import { UnavailableError } from '@widget-service/shared/domain/errors.ts';
import type { HookJob } from '@widget-service/shared/ports/hook-queue.ts';
import { systemClock } from '@widget-service/shared/runtime/clock.ts';
import { beforeEach, describe, expect, test } from 'vitest';
import { listAuditEvents, listAuditEventsOnce } from '../../drivers/app/audit-trail.ts';
import { aCreation, aDelivery } from '../../drivers/app/builders.ts';
import { expectProblem } from '../../drivers/app/expect-problem.ts';
import { openSharedApp } from '../../drivers/app/open-shared.ts';
import { overrideMethod } from '../../drivers/app/override-method.ts';
import { consumeUntil } from '../../processing/consume.ts';

/** The event ids of deliveries that the queue does not accept. */
const unacceptable = new Set<string>();
/** The event ids of the deliveries that the queue has accepted. */
let enqueued: string[] = [];
beforeEach(() => {
  enqueued = [];
});

const getEventIds = ({ items }: HookJob) =>
  items.flatMap((item) => (item.type === 'delivery' ? item.delivery.eventId : []));

const service = await openSharedApp({
  // One job for each item, so that the queue can refuse some.
  groupCommit: { jobItemsMax: 1 },
  replace: ({ hookQueue }) => ({
    hookQueue: overrideMethod(hookQueue, 'enqueue', async (job) => {
      if (getEventIds(job).some((eventId) => unacceptable.has(eventId))) throw new UnavailableError('unavailable');
      await hookQueue.enqueue(job);
      enqueued.push(...getEventIds(job));
    }),
  }),
});
const admin = await service.signedIn('admin');
const { ledger } = service.backend;

const startedAtMs = Date.now();
const at = (ms: number) => new Date(startedAtMs + ms);

async function createIntegration(): Promise<string> {
  return (await service.issueHookToken()).integrationId;
}

async function storeDead(overrides: Partial<Delivery>): Promise<Delivery> {
  const delivery = aDelivery(overrides);
  await ledger.markDead(delivery, 'store-refused');
  return delivery;
}

/** Without an integration: of all integrations. */
const redrive = (payload: object, integrationId?: string, { headers } = admin) =>
  service.post(
    `/api/v1/${integrationId === undefined ? '' : `integrations/${integrationId}/`}deliveries/redrive`,
    payload,
    headers,
  );

const consumeAll = (deliveries: readonly Delivery[]) =>
  consumeUntil(
    service.backend,
    async () => {
      const rows = await Promise.all(deliveries.map(({ eventId }) => ledger.get(eventId)));
      return rows.every((row) => row?.state === 'published');
    },
    systemClock,
  );

describe('POST /api/v1/integrations/{id}/deliveries/redrive', () => {
  test('says what became of each delivery, and each redriven one takes effect once', async () => {
    const integrationId = await createIntegration();
    const creation = aCreation();
    await service.backend.widgets.insertOnce(creation);
    const widgetId = creation.widget.id;
    const dead = [await storeDead({ integrationId, widgetId }), await storeDead({ integrationId, widgetId })];
    const published = aDelivery({ integrationId });
    await ledger.register([published]);
    await ledger.markPublished([{ eventId: published.eventId, position: null, effect: null }], new Date());
    const elsewhere = await storeDead({ integrationId: await createIntegration() });
    const unknown = randomUUID();
    const [first, second] = dead.map(({ eventId }) => eventId) as [string, string];

    const eventIds = [first, published.eventId, unknown, second.toUpperCase(), elsewhere.eventId, first];
    const response = await redrive({ eventIds }, integrationId);
    expect(response.statusCode).toBe(200);
    expect(response.json()).toEqual({
      items: [
        { eventId: first, outcome: 'redriven' },
        { eventId: published.eventId, outcome: 'not-dead' },
        { eventId: unknown, outcome: 'not-found' },
        { eventId: second, outcome: 'redriven' },
        { eventId: elsewhere.eventId, outcome: 'not-found' },
      ],
      next: null,
    });
    expect(enqueued.toSorted()).toEqual([first, second].toSorted());
    // Again, before a worker has processed them.
    expect((await redrive({ eventIds: [first, second] }, integrationId)).json().items).toMatchObject([
      { outcome: 'redriven' },
      { outcome: 'redriven' },
    ]);
    await consumeAll(dead);
    expect(await service.backend.widgets.get(widgetId)).toMatchObject({ version: 3 });
    expect(await ledger.get(elsewhere.eventId)).toMatchObject({ state: 'dead' });
  });

  test('redrives all dead deliveries of a range, 100 at a time, those of one millisecond too', async () => {
    const integrationId = await createIntegration();
    const inRange = await Promise.all(
      Array.from({ length: 120 }, (_, index) => storeDead({ integrationId, receivedAt: at(index < 110 ? 5 : index) })),
    );
    await storeDead({ integrationId, receivedAt: at(4) });
    await storeDead({ integrationId, receivedAt: at(900) });
    await storeDead({ receivedAt: at(6) });
    const range = { state: 'dead', from: at(5).toISOString(), to: at(900).toISOString() };

    const first = (await redrive(range, integrationId)).json();
    expect(first.items).toHaveLength(100);
    expect(first.next).toBe(first.items[99].eventId);
    const second = (await redrive({ ...range, after: first.next }, integrationId)).json();
    expect(second.items).toHaveLength(20);
    expect(second.next).toBeNull();
    const redriven = inRange.map(({ eventId }) => eventId).toSorted();
    expect(enqueued.toSorted()).toEqual(redriven);
    expect([...first.items, ...second.items].map(({ eventId }) => eventId).toSorted()).toEqual(redriven);
    await consumeAll(inRange);
    expect((await redrive(range, integrationId)).json()).toEqual({ items: [], next: null });
  });

  test('writes one audit event for each redriven delivery, and none for the others', async () => {
    const integrationId = await createIntegration();
    const dead = [await storeDead({ integrationId }), await storeDead({ integrationId })];
    const unknown = randomUUID();
    const eventIds = [...dead.map(({ eventId }) => eventId), unknown];
    const response = await redrive({ eventIds }, integrationId);
    const events = (await listAuditEvents(service, admin, 'action=delivery.redriven')).filter(
      ({ requestId }) => requestId === response.headers['x-request-id'],
    );
    expect(events.map(({ target }) => target?.id).toSorted()).toEqual(eventIds.slice(0, 2).toSorted());
    for (const event of events) {
      expect(event).toMatchObject({
        operation: 'example.deliveries.redriveMany',
        outcome: 'succeeded',
        code: null,
        actor: { kind: 'user', id: admin.userId },
        target: { kind: 'delivery' },
        before: null,
        after: { integrationId },
      });
    }
  });

  test('redrives the others when the queue does not accept one, which has an audit event of its own', async () => {
    const integrationId = await createIntegration();
    const [bad, good] = [await storeDead({ integrationId }), await storeDead({ integrationId })];
    unacceptable.add(bad.eventId);
    const response = await redrive({ eventIds: [bad.eventId, good.eventId] }, integrationId);
    expect(response.json().items).toEqual([
      { eventId: bad.eventId, outcome: 'failed' },
      { eventId: good.eventId, outcome: 'redriven' },
    ]);
    expect(await listAuditEvents(service, admin, `targetId=${bad.eventId}`)).toMatchObject([
      { action: 'delivery.redriven', outcome: 'failed', code: 'unavailable' },
    ]);
    expect(await listAuditEvents(service, admin, `targetId=${good.eventId}`)).toMatchObject([
      { action: 'delivery.redriven', outcome: 'succeeded' },
    ]);
    await consumeAll([good]);
    expect(await ledger.get(bad.eventId)).toMatchObject({ state: 'dead' });
    unacceptable.clear();
    expect((await redrive({ eventIds: [bad.eventId] }, integrationId)).json().items).toMatchObject([
      { outcome: 'redriven' },
    ]);
    await consumeAll([bad]);
  });

  test('returns 503 with Retry-After if the queue accepts none, and the deliveries stay dead', async () => {
    const integrationId = await createIntegration();
    const { eventId } = await storeDead({ integrationId });
    unacceptable.add(eventId);
    const otherAdmin = await service.signedIn('admin');
    const response = await redrive({ eventIds: [eventId, randomUUID()] }, integrationId, otherAdmin);
    unacceptable.clear();
    expectProblem(response, { status: 503, code: 'unavailable' });
    expect(Number(response.headers['retry-after'])).toBeGreaterThanOrEqual(1);
    expect(await ledger.get(eventId)).toMatchObject({ state: 'dead' });
    const events = await listAuditEventsOnce(service, admin, `actorId=${otherAdmin.userId}`);
    expect(events).toMatchObject([
      { action: 'delivery.redriven', outcome: 'failed', code: 'unavailable', target: null },
    ]);
  });

  test('returns 404 for a deleted integration', async () => {
    const integrationId = await createIntegration();
    await storeDead({ integrationId });
    await service.backend.integrations.remove(integrationId);
    expectProblem(await redrive({ state: 'dead' }, integrationId), { status: 404, code: 'not-found' });
    expect(enqueued).toEqual([]);
  });
});

describe('POST /api/v1/deliveries/redrive', () => {
  test('redrives deliveries of several integrations, but none of a deleted one', async () => {
    const [one, other, deleted] = [await createIntegration(), await createIntegration(), await createIntegration()];
    const receivedAt = at(5_000);
    const dead = [
      await storeDead({ integrationId: one, receivedAt }),
      await storeDead({ integrationId: other, receivedAt }),
    ];
    const orphan = await storeDead({ integrationId: deleted, receivedAt });
    await service.backend.integrations.remove(deleted);
    const expected = [
      ...dead.map(({ eventId }) => ({ eventId, outcome: 'redriven' })),
      { eventId: orphan.eventId, outcome: 'not-found' },
    ];
    const byId = (a: { eventId: string }, b: { eventId: string }) => (a.eventId < b.eventId ? -1 : 1);

    const unknown = randomUUID();
    const named = await redrive({ eventIds: [...expected.map(({ eventId }) => eventId), unknown] });
    expect(named.json()).toEqual({ items: [...expected, { eventId: unknown, outcome: 'not-found' }], next: null });
    const selected = await redrive({ state: 'dead', from: receivedAt.toISOString(), to: at(5_001).toISOString() });
    expect(selected.json().items.toSorted(byId)).toEqual(expected.toSorted(byId));
    await consumeAll(dead);
    expect(await ledger.get(orphan.eventId)).toMatchObject({ state: 'dead' });
    const [event] = await listAuditEvents(service, admin, `targetId=${dead[1]?.eventId}`);
    expect(event).toMatchObject({ operation: 'example.deliveries.redriveAll', after: { integrationId: other } });
  });
});

test('the address of the redrive of many is no delivery: it has one method', async () => {
  const { integrationId } = await service.issueHookToken();
  const url = `/api/v1/integrations/${integrationId}/deliveries/redrive`;
  const redriving = await service.inject({ method: 'OPTIONS', url });
  const delivery = await service.inject({ method: 'OPTIONS', url: url.replace('redrive', randomUUID()) });
  expect([redriving.headers.allow, delivery.headers.allow]).toEqual(['POST', 'DELETE, GET, HEAD']);
});
