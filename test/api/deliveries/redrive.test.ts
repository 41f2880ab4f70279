import { UnavailableError } from '@widget-service/shared/domain/errors.ts';
import type { Delivery } from '@widget-service/shared/domain/hook-event.ts';
import { systemClock } from '@widget-service/shared/runtime/clock.ts';
import type { Metrics } from '@widget-service/shared/runtime/metrics.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { aCreation, aDelivery } from '../../drivers/builders.ts';
import { expectProblem } from '../../drivers/expect-problem.ts';
import { openTestApp, type TestApp, type TestCaller } from '../../drivers/test-app.ts';
import { consumeUntil } from '../../processing/consume.ts';

let isQueueAway = false;
let service: TestApp;
let admin: TestCaller;
beforeAll(async () => {
  service = await openTestApp({
    replace: ({ hookQueue }) => ({
      hookQueue: {
        partitionCount: hookQueue.partitionCount,
        pressure: () => hookQueue.pressure(),
        consume: (handle, options) => hookQueue.consume(handle, options),
        enqueue: (batch) =>
          isQueueAway ? Promise.reject(new UnavailableError('the queue is away')) : hookQueue.enqueue(batch),
      },
    }),
  });
  admin = await service.signedIn('admin');
});
afterAll(() => service.close());

async function aDeadDelivery(overrides: Partial<Delivery> = {}): Promise<Delivery> {
  const { integrationId } = await service.issueHookToken();
  const delivery = aDelivery({ integrationId, ...overrides });
  await service.backend.ledger.markDead(delivery, 'store-refused');
  return delivery;
}

const redrive = ({ integrationId, eventId }: Delivery, headers: Record<string, string> = { ...admin.headers }) =>
  service.inject({
    method: 'POST',
    url: `/api/v1/integrations/${integrationId}/deliveries/${eventId}/redrive`,
    headers,
  });

test('twice before a worker comes: it takes effect once', async () => {
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

test('what was malformed, and is still, dies again for the same reason', async () => {
  const { integrationId } = await service.issueHookToken();
  const broken = aDelivery({ integrationId, kind: 'archived' as never });
  await service.backend.ledger.markDead(broken, 'invalid-delivery');
  expect((await redrive(broken)).statusCode).toBe(202);
  // The row says the same before and after: that it died again is told by the worker.
  const deaths = async ({ deliveriesDead }: Metrics) =>
    (await deliveriesDead.get()).values.reduce((sum, { value }) => sum + value, 0);
  const metrics = await consumeUntil(service.backend, async (told) => (await deaths(told)) > 0, systemClock);
  expect(await deaths(metrics)).toBe(1);
  const { redrive: _, ...members } = broken;
  expect(await service.backend.ledger.get(broken.eventId)).toMatchObject({
    ...members,
    state: 'dead',
    reason: 'invalid-delivery',
  });
});

test('503 when it is not certain to be queued; it stays dead', async () => {
  const delivery = await aDeadDelivery();
  isQueueAway = true;
  try {
    const response = await redrive(delivery);
    expectProblem(response, { status: 503, code: 'unavailable' });
    expect(Number(response.headers['retry-after'])).toBeGreaterThanOrEqual(1);
  } finally {
    isQueueAway = false;
  }
  expect(await service.backend.ledger.get(delivery.eventId)).toMatchObject({ state: 'dead' });
});

test('403: without the permission, the CSRF token or a session', async () => {
  const delivery = await aDeadDelivery();
  const editor = await service.signedIn('editor');
  expectProblem(await redrive(delivery, { ...editor.headers }), { status: 403, code: 'permission-denied' });
  expectProblem(await redrive(delivery, { cookie: admin.cookie }), { status: 403, code: 'csrf-token-invalid' });
  expectProblem(await redrive(delivery, {}), { status: 403, code: 'not-authenticated' });
  for (const suffix of ['', `/${delivery.eventId}`]) {
    const url = `/api/v1/integrations/${delivery.integrationId}/deliveries${suffix}`;
    const read = (headers: Record<string, string>) => service.inject({ method: 'GET', url, headers });
    expectProblem(await read({ cookie: editor.cookie }), { status: 403, code: 'permission-denied' });
    expectProblem(await read({}), { status: 403, code: 'not-authenticated' });
  }
});

test('a deleted integration takes its deliveries out of sight', async () => {
  const delivery = await aDeadDelivery();
  await service.backend.integrations.remove(delivery.integrationId);
  expectProblem(await redrive(delivery), { status: 404, code: 'not-found' });
});
