import { parseHookJob } from '@widget-service/shared/adapters/hook-job-codec.ts';
import type { Delivery } from '@widget-service/shared/domain/delivery.ts';
import { UnavailableError, UnstorableError } from '@widget-service/shared/domain/errors.ts';
import { expect, test } from 'vitest';
import { aCreation, aDelivery, awkwardPayload } from '../drivers/app/builders.ts';
import { openSharedBackend } from '../drivers/app/open-shared.ts';
import { overrideMethod } from '../drivers/app/override-method.ts';
import { requireReadable } from '../drivers/app/require-readable.ts';
import { consumeUntil, enqueue } from './consume.ts';

const testBackend = await openSharedBackend({ hookPartitions: 1 });

const readRow = (delivery: Delivery) => testBackend.backend.ledger.get(delivery.eventId);
async function readQuarantine() {
  const { quarantine } = testBackend.backend;
  const rows = await quarantine.list({}, { offset: 0, limit: 100 });
  const texts = await Promise.all(requireReadable(rows).map(({ id }) => quarantine.get(id)));
  return texts.filter((text) => text !== null);
}

const isPublished = (delivery: Delivery) => async () => (await readRow(delivery))?.state === 'published';

async function insertWidget(): Promise<string> {
  const creation = aCreation();
  await testBackend.backend.widgets.insertOnce(creation);
  return creation.widget.id;
}

test('dead-letters a malformed item, and applies the other items of its job and later jobs', async () => {
  const widgetId = await insertWidget();
  const malformed = aDelivery({ widgetId, kind: 'archived' as never, payload: awkwardPayload });
  const [valid, later] = [aDelivery({ widgetId }), aDelivery({ widgetId })];
  await enqueue(testBackend.backend, [malformed, valid]);
  await enqueue(testBackend.backend, [later]);
  const metrics = await consumeUntil(testBackend.backend, isPublished(later));
  const { redrive: _, ...members } = malformed;
  expect(await readRow(malformed)).toMatchObject({ ...members, state: 'dead', reason: 'invalid-delivery' });
  expect(await readRow(valid)).toMatchObject({ state: 'published' });
  expect(await testBackend.backend.widgets.get(widgetId)).toMatchObject({ version: 3 });
  expect((await metrics.deliveriesDead.get()).values).toMatchObject([
    { labels: { reason: 'invalid-delivery' }, value: 1 },
  ]);
});

test('quarantines texts without a readable event id, and continues with the partition', async () => {
  const jobId = await testBackend.enqueueText('{"version":1,"items":[{"t":"d","p":"half a j');
  const valid = aDelivery({ widgetId: await insertWidget() });
  const anonymous = aDelivery({ eventId: '', payload: '{"anonymous":1}' });
  await enqueue(testBackend.backend, [anonymous, valid]);
  const metrics = await consumeUntil(testBackend.backend, isPublished(valid));
  const texts = await readQuarantine();
  const [first] = texts.filter(({ text }) => text === '{"version":1,"items":[{"t":"d","p":"half a j');
  expect(first).toMatchObject({
    reason: 'unreadable',
    jobId,
    integrationId: null,
    quarantinedAt: expect.any(Date),
  });
  expect(texts.map(({ text }) => text)).toContainEqual(expect.stringContaining('anonymous'));
  expect((await metrics.textsQuarantined.get()).values).toMatchObject([{ value: 2 }]);
});

test('tries again while the dead letter cannot be stored, and quarantines nothing', async () => {
  const { backend } = testBackend;
  const malformed = aDelivery({ occurredAt: 'soon' });
  let attempts = 0;
  const ledger = overrideMethod(backend.ledger, 'markDead', async (delivery, reason) => {
    attempts += 1;
    if (attempts <= 3) throw new UnavailableError('the store does not answer');
    return backend.ledger.markDead(delivery, reason);
  });
  await enqueue(backend, [malformed]);
  await consumeUntil({ ...backend, ledger }, async () => (await readRow(malformed))?.state === 'dead');
  expect(attempts).toBe(4);
  expect((await readQuarantine()).filter(({ text }) => text.includes(malformed.eventId))).toEqual([]);
});

test('tries again while a text cannot be quarantined', async () => {
  const text = '{"version":1,"items":[{"t":"d","p":"the other half';
  await testBackend.enqueueText(text);
  const { backend } = testBackend;
  let attempts = 0;
  const quarantine = overrideMethod(backend.quarantine, 'insert', async (entry) => {
    attempts += 1;
    if (attempts <= 3) throw new UnavailableError('the store does not answer');
    return backend.quarantine.insert(entry);
  });
  const metrics = await consumeUntil({ ...backend, quarantine }, async () => attempts >= 4);
  expect((await metrics.textsQuarantined.get()).values).toMatchObject([{ value: 1 }]);
  const texts = await readQuarantine();
  expect(texts.filter((stored) => stored.text === text)).toHaveLength(1);
});

test('quarantines a delivery whose dead letter is unstorable, as a job that can be enqueued again', async () => {
  const { backend } = testBackend;
  const widgetId = await insertWidget();
  const [poison, valid] = [aDelivery({ widgetId, payload: awkwardPayload }), aDelivery({ widgetId })];
  const nameless = aDelivery({ widgetId, integrationId: 'no id of an integration' });
  const isPoison = ({ eventId }: Pick<Delivery, 'eventId'>) => eventId !== valid.eventId;
  const refuse = () => Promise.reject(new UnstorableError('the delivery is poison'));
  const ledger = overrideMethod(
    overrideMethod(backend.ledger, 'register', (all) => (all.some(isPoison) ? refuse() : backend.ledger.register(all))),
    'markDead',
    (delivery, reason) => (isPoison(delivery) ? refuse() : backend.ledger.markDead(delivery, reason)),
  );
  await enqueue(backend, [poison, nameless, valid]);
  await consumeUntil({ ...backend, ledger }, isPublished(valid));
  const quarantined = (await readQuarantine()).filter(({ reason }) => reason === 'store-refused');
  expect(new Set(quarantined.map((row) => row.integrationId))).toEqual(new Set([poison.integrationId, null]));
  const items = quarantined.flatMap(({ text }) => parseHookJob(text).items);
  expect(new Set(items)).toEqual(new Set([poison, nameless].map((delivery) => ({ type: 'delivery', delivery }))));
});
