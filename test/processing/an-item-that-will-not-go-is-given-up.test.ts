import { randomUUID } from 'node:crypto';
import { StoreRefusedError, UnavailableError } from '@widget-service/shared/domain/errors.ts';
import type { Delivery } from '@widget-service/shared/domain/hook-event.ts';
import type { DeliveryLedger } from '@widget-service/shared/ports/delivery-ledger.ts';
import { systemClock } from '@widget-service/shared/runtime/clock.ts';
import { createLogger } from '@widget-service/shared/runtime/logger.ts';
import { createMetrics } from '@widget-service/shared/runtime/metrics.ts';
import { createHookConsumerTask } from '@widget-service/shared/tasks/hook-consumer.ts';
import { createPublishOutbox } from '@widget-service/shared/usecases/events/publish-outbox.ts';
import { createProcessBatch } from '@widget-service/shared/usecases/hooks/process-batch.ts';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { aCreation, aDelivery } from '../support/builders.ts';
import { eventually } from '../support/eventually.ts';
import { openTestBackend } from '../support/open-test-backend.ts';
import type { TestBackend } from '../support/test-backend.ts';

let opened: TestBackend;
beforeAll(async () => {
  opened = await openTestBackend({ hookPartitions: 1 });
});
afterAll(() => opened.dispose());

/** Time passes as in life, but pauses are short. */
const clock = { ...systemClock, sleep: (ms: number, signal?: AbortSignal) => systemClock.sleep(ms / 50, signal) };

/** Consumes with a ledger that `refuse` may fail, until every delivery has reached `state`. */
async function consume(
  deliveries: readonly Delivery[],
  refuse: (taken: readonly Delivery[]) => void,
  isDone: () => Promise<boolean>,
) {
  const { backend } = opened;
  const ledger: DeliveryLedger = new Proxy(backend.ledger, {
    get: (target, name) => {
      if (name !== 'take') return (Reflect.get(target, name, target) as () => unknown).bind(target);
      return async (taken: readonly Delivery[]) => {
        refuse(taken);
        return target.take(taken);
      };
    },
  });
  const metrics = createMetrics();
  const publishOutbox = createPublishOutbox({ ...backend, ledger, clock });
  const processBatch = createProcessBatch({ ...backend, ledger, publishOutbox, clock });
  const logger = await createLogger({ level: 'silent' });
  const task = createHookConsumerTask({ ...backend, ledger, processBatch, clock, logger, metrics });
  await backend.hookQueue.enqueue({
    jobId: `job-${randomUUID()}`,
    partition: 0,
    items: deliveries.map((delivery) => ({ type: 'delivery', delivery })),
  });
  const stop = new AbortController();
  const running = task.run(stop.signal);
  await eventually(isDone, 'every delivery is done with');
  stop.abort();
  await running;
  expect((await backend.hookQueue.pressure()).waitingJobs).toBe(0);
}

const stateOf = async (delivery: Delivery) => (await opened.backend.ledger.get(delivery.eventId))?.state ?? null;

it('only the item that the store refuses alone is dead, with its reason; the others take effect', async () => {
  const creation = aCreation();
  await opened.backend.widgets.insertOnce(creation);
  const widgetId = creation.widget.id;
  const [good, poison, last] = [aDelivery({ widgetId }), aDelivery({ widgetId }), aDelivery({ widgetId })];
  await consume(
    [good, poison, last],
    (taken) => {
      if (taken.some((each) => each.eventId === poison.eventId)) throw new StoreRefusedError('too large');
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

it('nothing is given up because a store is away, however often', async () => {
  const creation = aCreation();
  await opened.backend.widgets.insertOnce(creation);
  const delivery = aDelivery({ widgetId: creation.widget.id });
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
