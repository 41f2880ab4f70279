import type { Delivery } from '@widget-service/shared/domain/delivery.ts';
import { describe, expect, test } from 'vitest';
import { listAuditEvents } from '../../drivers/app/audit-trail.ts';
import { aCreation, aDelivery } from '../../drivers/app/builders.ts';
import { expectProblem } from '../../drivers/app/expect-problem.ts';
import { openSharedApp } from '../../drivers/app/open-shared.ts';
import { eventually } from '../../drivers/tools/eventually.ts';
import { consumeUntil, enqueue } from '../../processing/consume.ts';

const service = await openSharedApp();
const admin = await service.signedIn('admin');

async function aDeadDelivery(overrides: Partial<Delivery> = {}): Promise<Delivery> {
  const { integrationId } = await service.issueHookToken();
  const delivery = aDelivery({ integrationId, payload: '{"patient":"Ada"}', ...overrides });
  await service.backend.ledger.markDead(delivery, 'store-refused');
  return delivery;
}

const toUrl = ({ integrationId, eventId }: Delivery) => `/api/v1/integrations/${integrationId}/deliveries/${eventId}`;
const discard = (delivery: Delivery, headers: Record<string, string> = { ...admin.headers }) =>
  service.delete(toUrl(delivery), headers);
const read = async (url: string) => (await admin.get(url)).json();

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

  test.each(['received', 'published'] as const)('returns 409 delivery-not-dead for a %s delivery', async (state) => {
    const { integrationId } = await service.issueHookToken();
    const delivery = aDelivery({ integrationId, payload: '{"kept":true}' });
    await service.backend.ledger.register([delivery]);
    const { eventId } = delivery;
    if (state === 'published')
      await service.backend.ledger.markPublished([{ eventId, position: null, effect: null }], new Date());
    expectProblem(await discard(delivery), { status: 409, code: 'delivery-not-dead' });
    expect(await read(toUrl(delivery))).toMatchObject({ state, payload: { kept: true } });
  });

  test('a discarded delivery cannot be redriven, and a redrive that was queued before has no effect', async () => {
    const creation = aCreation();
    await service.backend.widgets.insertOnce(creation);
    const delivery = await aDeadDelivery({ widgetId: creation.widget.id });
    const redrive = () => admin.post(`${toUrl(delivery)}/redrive`);
    expect((await redrive()).statusCode).toBe(202);
    expect((await discard(delivery)).statusCode).toBe(204);
    expectProblem(await redrive(), { status: 409, code: 'delivery-not-dead' });
    const row = () => service.backend.ledger.get(delivery.eventId);
    await consumeUntil(service.backend, async () => (await row())?.duplicates === 1);
    expect(await row()).toMatchObject({ state: 'discarded', payload: null });
    expect(await service.backend.widgets.get(creation.widget.id)).toMatchObject({ version: 1 });
  });

  test('a repetition of the hook is dropped', async () => {
    const delivery = await aDeadDelivery();
    await discard(delivery);
    await enqueue(service.backend, [delivery]);
    const row = () => service.backend.ledger.get(delivery.eventId);
    await consumeUntil(service.backend, async () => (await row())?.duplicates === 1);
    expect(await row()).toMatchObject({ state: 'discarded', payload: null });
  });

  test('discards a dead delivery of a deleted integration, which nobody can redrive', async () => {
    const delivery = await aDeadDelivery();
    await service.backend.integrations.remove(delivery.integrationId);
    expect((await discard(delivery)).statusCode).toBe(204);
    expect(await service.backend.ledger.get(delivery.eventId)).toMatchObject({ state: 'discarded', payload: null });
  });

  test('takes it out of the overview', async () => {
    const delivery = await aDeadDelivery();
    const isNamed = async () =>
      (await read('/api/v1/overview')).deadLetters.some(
        ({ integrationId }: { integrationId: string }) => integrationId === delivery.integrationId,
      );
    // One answer is used for up to a second.
    await eventually(isNamed, 'the overview names the integration');
    await discard(delivery);
    await eventually(async () => !(await isNamed()), 'the overview no longer names the integration');
  });
});
