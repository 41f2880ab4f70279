import { parseHookJob } from '@widget-service/shared/adapters/hook-job-codec.ts';
import { UnavailableError, UnstorableError } from '@widget-service/shared/domain/errors.ts';
import type { Delivery } from '@widget-service/shared/domain/hook-event.ts';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { aCreation, aDelivery, awkwardPayload } from '../drivers/builders.ts';
import { openTestBackend } from '../drivers/open-test-backend.ts';
import { instead } from '../drivers/override-method.ts';
import type { TestBackend } from '../drivers/test-backend.ts';
import { consumeUntil, enqueue } from './consume.ts';

let opened: TestBackend;
beforeAll(async () => {
  opened = await openTestBackend({ hookPartitions: 1 });
});
afterAll(() => opened.dispose());

const rowOf = (delivery: Delivery) => opened.backend.ledger.get(delivery.eventId);
const isPublished = (delivery: Delivery) => async () => (await rowOf(delivery))?.state === 'published';
const quarantine = () => opened.backend.quarantine.list(100);

async function aWidgetId(): Promise<string> {
  const creation = aCreation();
  await opened.backend.widgets.insertOnce(creation);
  return creation.widget.id;
}

it('a malformed item becomes a dead letter; the others of its job, and later jobs, take effect', async () => {
  const widgetId = await aWidgetId();
  const broken = aDelivery({ widgetId, kind: 'archived' as never, payload: awkwardPayload });
  const [good, later] = [aDelivery({ widgetId }), aDelivery({ widgetId })];
  await enqueue(opened.backend, [broken, good]);
  await enqueue(opened.backend, [later]);
  const metrics = await consumeUntil(opened.backend, isPublished(later));
  const { redrive: _, ...members } = broken;
  expect(await rowOf(broken)).toMatchObject({ ...members, state: 'dead', reason: 'invalid-delivery' });
  expect(await rowOf(good)).toMatchObject({ state: 'published' });
  expect(await opened.backend.widgets.get(widgetId)).toMatchObject({ version: 3 });
  expect((await metrics.deliveriesDead.get()).values).toMatchObject([
    { labels: { reason: 'invalid-delivery' }, value: 1 },
  ]);
});

it('what tells of no delivery is set aside as it is, and its partition goes on', async () => {
  const jobId = await opened.enqueueText('{"version":1,"items":[{"t":"d","p":"half a j');
  const good = aDelivery({ widgetId: await aWidgetId() });
  const anonymous = aDelivery({ eventId: '', payload: '{"whose":1}' });
  await enqueue(opened.backend, [anonymous, good]);
  const metrics = await consumeUntil(opened.backend, isPublished(good));
  const texts = await quarantine();
  expect(texts).toContainEqual({ id: `${jobId}:0`, text: '{"version":1,"items":[{"t":"d","p":"half a j' });
  expect(texts.map(({ text }) => text)).toContainEqual(expect.stringContaining('whose'));
  expect((await metrics.textsQuarantined.get()).values).toMatchObject([{ value: 2 }]);
});

it('while it cannot be stored, it is tried again and nothing is dropped', async () => {
  const { backend } = opened;
  const broken = aDelivery({ occurredAt: 'soon' });
  let failures = 0;
  const ledger = instead(backend.ledger, 'markDead', async (delivery, reason) => {
    failures += 1;
    if (failures <= 3) throw new UnavailableError('away');
    return backend.ledger.markDead(delivery, reason);
  });
  await enqueue(backend, [broken]);
  await consumeUntil({ ...backend, ledger }, async () => (await rowOf(broken))?.state === 'dead');
  expect(failures).toBe(4);
  expect((await quarantine()).filter(({ text }) => text.includes(broken.eventId))).toEqual([]);
});

it('a delivery whose dead letter the ledger refuses is set aside, as a job that can be queued again', async () => {
  const { backend } = opened;
  const widgetId = await aWidgetId();
  const [poison, good] = [aDelivery({ widgetId, payload: awkwardPayload }), aDelivery({ widgetId })];
  const refuse = (eventIds: readonly string[]) => {
    if (eventIds.includes(poison.eventId)) throw new UnstorableError('not this one');
  };
  const ledger = instead(
    instead(backend.ledger, 'register', async (taken) => {
      refuse(taken.map(({ eventId }) => eventId));
      return backend.ledger.register(taken);
    }),
    'markDead',
    async (delivery, reason) => {
      refuse([delivery.eventId]);
      return backend.ledger.markDead(delivery, reason);
    },
  );
  await enqueue(backend, [poison, good]);
  await consumeUntil({ ...backend, ledger }, isPublished(good));
  const [kept] = (await quarantine()).filter(({ text }) => text.includes(poison.eventId));
  expect(parseHookJob(kept?.text ?? '').items).toEqual([{ type: 'delivery', delivery: poison }]);
});
