import { UnavailableError, UnstorableError } from '@widget-service/shared/domain/errors.ts';
import type { Delivery } from '@widget-service/shared/domain/hook-event.ts';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { aCreation, aDelivery } from '../drivers/builders.ts';
import { openTestBackend } from '../drivers/open-test-backend.ts';
import { instead } from '../drivers/override-method.ts';
import type { TestBackend } from '../drivers/test-backend.ts';
import { consumeUntil, enqueue } from './consume.ts';

let opened: TestBackend;
beforeAll(async () => {
  opened = await openTestBackend({ hookPartitions: 1 });
});
afterAll(() => opened.dispose());

/** Consumes with a ledger that `refuse` may fail, until `isDone`. */
async function consume(
  deliveries: readonly Delivery[],
  refuse: (taken: readonly Delivery[]) => void,
  isDone: () => Promise<boolean>,
) {
  const { backend } = opened;
  const ledger = instead(backend.ledger, 'register', async (taken) => {
    refuse(taken);
    return backend.ledger.register(taken);
  });
  await enqueue(backend, deliveries);
  return consumeUntil({ ...backend, ledger }, isDone);
}

const stateOf = async (delivery: Delivery) => (await opened.backend.ledger.get(delivery.eventId))?.state ?? null;

async function aWidgetId(): Promise<string> {
  const creation = aCreation();
  await opened.backend.widgets.insertOnce(creation);
  return creation.widget.id;
}

it('only the item that the store refuses alone is dead, with its reason; the others take effect', async () => {
  const widgetId = await aWidgetId();
  const [good, poison, last] = [aDelivery({ widgetId }), aDelivery({ widgetId }), aDelivery({ widgetId })];
  await consume(
    [good, poison, last],
    (taken) => {
      if (taken.some((each) => each.eventId === poison.eventId)) throw new UnstorableError('too large');
    },
    async () => (await stateOf(last)) === 'published' && (await stateOf(poison)) === 'dead',
  );
  expect(await stateOf(good)).toBe('published');
  expect(await opened.backend.ledger.get(poison.eventId)).toMatchObject({
    state: 'dead',
    reason: 'store-refused',
    payload: poison.payload,
  });
  expect(await opened.backend.widgets.get(widgetId)).toMatchObject({ version: 3 });
});

it('an item that cannot be carried out for another reason is dead too, once it was tried again', async () => {
  const widgetId = await aWidgetId();
  const [good, poison] = [aDelivery({ widgetId }), aDelivery({ widgetId })];
  let triesAlone = 0;
  await consume(
    [good, poison],
    (taken) => {
      if (!taken.some((each) => each.eventId === poison.eventId)) return;
      if (taken.length === 1) triesAlone += 1;
      throw new TypeError('a fault of this program');
    },
    async () => (await stateOf(good)) === 'published' && (await stateOf(poison)) === 'dead',
  );
  expect(triesAlone).toBeGreaterThan(1);
  expect(await opened.backend.ledger.get(poison.eventId)).toMatchObject({ reason: 'invalid-delivery' });
  expect(await opened.backend.widgets.get(widgetId)).toMatchObject({ version: 2 });
});

it('a failure that passes takes nothing with it', async () => {
  const delivery = aDelivery({ widgetId: await aWidgetId() });
  let failures = 0;
  const metrics = await consume(
    [delivery],
    () => {
      failures += 1;
      if (failures <= 2) throw new TypeError('a fault that passes');
    },
    async () => (await stateOf(delivery)) === 'published',
  );
  expect((await metrics.deliveriesDead.get()).values).toEqual([]);
});

it('nothing is given up because a store is away, however often', async () => {
  const delivery = aDelivery({ widgetId: await aWidgetId() });
  let failures = 0;
  await consume(
    [delivery],
    () => {
      failures += 1;
      if (failures <= 12) throw new UnavailableError('away');
    },
    async () => (await stateOf(delivery)) === 'published',
  );
  expect(failures).toBe(13);
});

it('nor because a store was away for long and something else fails once then', async () => {
  const delivery = aDelivery({ widgetId: await aWidgetId() });
  let failures = 0;
  await consume(
    [delivery],
    () => {
      failures += 1;
      if (failures <= 8) throw new UnavailableError('away');
      if (failures === 9) throw new TypeError('once');
    },
    async () => (await stateOf(delivery)) === 'published',
  );
  expect(failures).toBe(10);
});

it('a widget that no run can claim concerns its own hooks only', async () => {
  const { backend } = opened;
  const [goodId, poisonId] = [await aWidgetId(), await aWidgetId()];
  const [good, poison] = [aDelivery({ widgetId: goodId }), aDelivery({ widgetId: poisonId })];
  const effects = instead(backend.effects, 'claim', async (run, widgetIds) => {
    if (widgetIds.includes(poisonId)) throw new UnstorableError('no such document may be written');
    return backend.effects.claim(run, widgetIds);
  });
  await enqueue(backend, [poison, good]);
  await backend.hookQueue.enqueue({
    jobId: `job-${poisonId}`,
    partition: 0,
    items: [{ type: 'nudge', widgetId: poisonId }],
  });
  const isDone = async () => (await stateOf(good)) === 'published' && (await stateOf(poison)) === 'dead';
  await consumeUntil({ ...backend, effects }, isDone);
  expect(await backend.ledger.get(poison.eventId)).toMatchObject({ reason: 'store-refused' });
});
