import type { Delivery } from '@widget-service/shared/domain/delivery.ts';
import { UnavailableError } from '@widget-service/shared/domain/errors.ts';
import type { Metrics } from '@widget-service/shared/metrics/metrics.ts';
import { systemClock } from '@widget-service/shared/runtime/clock.ts';
import { describe, expect, test } from 'vitest';
import { listAuditEvents } from '../../drivers/app/audit-trail.ts';
import { aCreation, aDelivery, awkwardPayload } from '../../drivers/app/builders.ts';
import { expectProblem } from '../../drivers/app/expect-problem.ts';
import { openSharedApp } from '../../drivers/app/open-shared.ts';
import { overrideMethod } from '../../drivers/app/override-method.ts';
import { consumeUntil } from '../../processing/consume.ts';

let isQueueUnavailable = false;
const service = await openSharedApp({
  replace: ({ hookQueue }) => ({
    hookQueue: overrideMethod(hookQueue, 'enqueue', (batch) =>
      isQueueUnavailable ? Promise.reject(new UnavailableError('the queue is unavailable')) : hookQueue.enqueue(batch),
    ),
  }),
});
const admin = await service.signedIn('admin');

async function aDeadDelivery(overrides: Partial<Delivery> = {}): Promise<Delivery> {
  const { integrationId } = await service.issueHookToken();
  const delivery = aDelivery({ integrationId, payload: '{"patient":"Ada"}', ...overrides });
  await service.backend.ledger.markDead(delivery, 'store-refused');
  return delivery;
}

const toUrl = ({ integrationId, eventId }: Delivery) => `/api/v1/integrations/${integrationId}/deliveries/${eventId}`;
const redrive = (delivery: Delivery) => admin.post(`${toUrl(delivery)}/redrive`);
const discard = (delivery: Delivery) => service.delete(toUrl(delivery), admin.headers);
const read = async (url: string) => (await admin.get(url)).json();

test.each(['received', 'published'] as const)(
  'redrive and discard return 409 delivery-not-dead for a %s delivery',
  async (state) => {
    const { integrationId } = await service.issueHookToken();
    const delivery = aDelivery({ integrationId, payload: '{"kept":true}' });
    await service.backend.ledger.register([delivery]);
    const { eventId } = delivery;
    if (state === 'published')
      await service.backend.ledger.markPublished([{ eventId, position: null, effect: null }], new Date());
    for (const act of [redrive, discard])
      expectProblem(await act(delivery), { status: 409, code: 'delivery-not-dead' });
    expect(await read(toUrl(delivery))).toMatchObject({ state, payload: { kept: true } });
  },
);

describe('POST /api/v1/integrations/{id}/deliveries/{eventId}/redrive', () => {
  test('returns 202 and enqueues the dead delivery, unchanged but for the redrive mark', async () => {
    const delivery = await aDeadDelivery({ payload: awkwardPayload });
    const items: unknown[] = [];
    const response = await redrive(delivery);
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

  test('applies a delivery once when it is redriven twice before a worker processes it', async () => {
    const creation = aCreation();
    await service.backend.widgets.insertOnce(creation);
    const delivery = await aDeadDelivery({ widgetId: creation.widget.id });
    expect((await redrive(delivery)).statusCode).toBe(202);
    expect((await redrive(delivery)).statusCode).toBe(202);
    const row = () => service.backend.ledger.get(delivery.eventId);
    await consumeUntil(service.backend, async () => (await row())?.state === 'published', systemClock);
    expect(await row()).toMatchObject({ state: 'published', reason: null, receivedAt: delivery.receivedAt });
    expect(await service.backend.widgets.get(creation.widget.id)).toMatchObject({ version: 2 });
    expectProblem(await redrive(delivery), { status: 409, code: 'delivery-not-dead' });
  });

  test('returns 202 for a malformed delivery, which the worker dead-letters again with the same reason', async () => {
    const { integrationId } = await service.issueHookToken();
    const malformed = aDelivery({ integrationId, kind: 'archived' as never });
    await service.backend.ledger.markDead(malformed, 'invalid-delivery');
    expect((await redrive(malformed)).statusCode).toBe(202);
    // The row is equal before and after, so only the worker's metric shows that it was dead-lettered again.
    const countDeadLetters = async ({ deliveriesDead }: Metrics) =>
      (await deliveriesDead.get()).values.reduce((sum, { value }) => sum + value, 0);
    const metrics = await consumeUntil(
      service.backend,
      async (workerMetrics) => (await countDeadLetters(workerMetrics)) > 0,
      systemClock,
    );
    expect(await countDeadLetters(metrics)).toBe(1);
    const { redrive: _, ...members } = malformed;
    expect(await service.backend.ledger.get(malformed.eventId)).toMatchObject({
      ...members,
      state: 'dead',
      reason: 'invalid-delivery',
    });
  });

  test('returns 503 with Retry-After while the hook queue is unavailable, and the delivery stays dead', async () => {
    const delivery = await aDeadDelivery();
    isQueueUnavailable = true;
    try {
      const response = await redrive(delivery);
      expectProblem(response, { status: 503, code: 'unavailable' });
      expect(Number(response.headers['retry-after'])).toBeGreaterThanOrEqual(1);
    } finally {
      isQueueUnavailable = false;
    }
    expect(await service.backend.ledger.get(delivery.eventId)).toMatchObject({ state: 'dead' });
  });

  test('returns 404 for a delivery of a deleted integration', async () => {
    const delivery = await aDeadDelivery();
    await service.backend.integrations.remove(delivery.integrationId);
    expectProblem(await redrive(delivery), { status: 404, code: 'not-found' });
  });
});

describe('DELETE /api/v1/integrations/{id}/deliveries/{eventId}', () => {
  test('returns 204; the payload is gone, and the delivery stays listed as discarded', async () => {
    const delivery = await aDeadDelivery();
    const response = await discard(delivery);
    expect(response.statusCode).toBe(204);
    expect(response.body).toBe('');
    expect(await read(toUrl(delivery))).toMatchObject({
      eventId: delivery.eventId,
      state: 'discarded',
      reason: 'store-refused',
      payload: null,
      event: null,
    });
    const list = `/api/v1/integrations/${delivery.integrationId}/deliveries`;
    expect((await read(`${list}?state=dead`)).items).toEqual([]);
    expect((await read(`${list}?state=discarded`)).items).toMatchObject([{ eventId: delivery.eventId }]);
  });

  test('returns 204 again for a discarded delivery, and the audit trail has one event', async () => {
    const delivery = await aDeadDelivery();
    expect((await discard(delivery)).statusCode).toBe(204);
    expect((await discard(delivery)).statusCode).toBe(204);
    expect(await listAuditEvents(service, admin, `targetId=${delivery.eventId}`)).toMatchObject([
      {
        action: 'delivery.discarded',
        outcome: 'succeeded',
        target: { kind: 'delivery', id: delivery.eventId },
        before: { integrationId: delivery.integrationId },
        after: null,
      },
    ]);
  });

  test('a discarded delivery cannot be redriven, and a redrive that was queued before has no effect', async () => {
    const creation = aCreation();
    await service.backend.widgets.insertOnce(creation);
    const delivery = await aDeadDelivery({ widgetId: creation.widget.id });
    expect((await redrive(delivery)).statusCode).toBe(202);
    expect((await discard(delivery)).statusCode).toBe(204);
    expectProblem(await redrive(delivery), { status: 409, code: 'delivery-not-dead' });
    const row = () => service.backend.ledger.get(delivery.eventId);
    await consumeUntil(service.backend, async () => (await row())?.duplicates === 1);
    expect(await row()).toMatchObject({ state: 'discarded', payload: null });
    expect(await service.backend.widgets.get(creation.widget.id)).toMatchObject({ version: 1 });
  });

  test('discards a dead delivery of a deleted integration, which nobody can redrive', async () => {
    const delivery = await aDeadDelivery();
    await service.backend.integrations.remove(delivery.integrationId);
    expect((await discard(delivery)).statusCode).toBe(204);
    expect(await service.backend.ledger.get(delivery.eventId)).toMatchObject({ state: 'discarded', payload: null });
  });
});
