import { randomUUID } from 'node:crypto';
import type { Delivery } from '@widget-service/shared/domain/delivery.ts';
import { UnavailableError } from '@widget-service/shared/domain/errors.ts';
import { systemClock } from '@widget-service/shared/runtime/clock.ts';
import { createBatchProcessor } from '@widget-service/shared/tasks/batch-processor.ts';
import { describe, expect, test } from 'vitest';
import { aCreation, aDelivery } from '../drivers/app/builders.ts';
import { openSharedBackend } from '../drivers/app/open-shared.ts';
import { overrideMethod } from '../drivers/app/override-method.ts';
import { createWorker, processUntilPublished, readLog, toItem, tryBatch } from './drive-runs.ts';

const testBackend = await openSharedBackend();

async function insertWidgets(count: number): Promise<string[]> {
  const creations = Array.from({ length: count }, () => aCreation());
  for (const creation of creations) await testBackend.backend.widgets.insertOnce(creation);
  return creations.map(({ widget }) => widget.id);
}

test('each run gets the outcome of its own events', async () => {
  const { backend } = testBackend;
  const process = createWorker(backend);
  const widgetIds = await insertWidgets(20);
  const receivedAt = (index: number) => new Date(1_764_000_000_000 + index);
  const outcomes = await Promise.all(
    widgetIds.map((widgetId, index) =>
      processUntilPublished(process, [toItem(aDelivery({ widgetId, receivedAt: receivedAt(index) }))]),
    ),
  );
  // The creation is the other event of each run.
  for (const [index, { appendedReceivedAt }] of outcomes.entries()) {
    expect(appendedReceivedAt).toHaveLength(2);
    expect(appendedReceivedAt[1]).toEqual(receivedAt(index));
  }
});

test('one delivery in two runs at the same time is published once, with its position', async () => {
  const { backend } = testBackend;
  const process = createWorker(backend);
  const deliveries = Array.from({ length: 10 }, () => aDelivery({ widgetId: null }));
  const items = deliveries.map(toItem);
  await Promise.all([processUntilPublished(process, items), processUntilPublished(process, items)]);
  const events = (await readLog(backend.eventLog)).map(({ event }) => event.eventId);
  for (const { eventId } of deliveries) {
    expect(events.filter((id) => id === eventId)).toEqual([eventId]);
    expect(await backend.ledger.get(eventId)).toMatchObject({
      state: 'published',
      position: { seq: expect.anything() },
    });
  }
});

test.each(['append', 'mark'])('a run whose %s fails unexpectedly does not fail the others', async (step) => {
  const { backend } = testBackend;
  const poisonId = randomUUID();
  const eventLog = overrideMethod(backend.eventLog, 'append', (run, recorded, events) => {
    if (step === 'append' && events.some(({ event }) => event.eventId === poisonId)) throw new TypeError('poison');
    return backend.eventLog.append(run, recorded, events);
  });
  const ledger = overrideMethod(backend.ledger, 'markPublished', (deliveries, at) => {
    if (step === 'mark' && deliveries.some(({ eventId }) => eventId === poisonId)) throw new TypeError('poison');
    return backend.ledger.markPublished(deliveries, at);
  });
  const process = createWorker({ ...backend, eventLog, ledger });
  const deliveries = Array.from({ length: 9 }, (_, index) =>
    aDelivery({ widgetId: null, ...(index === 4 ? { eventId: poisonId } : {}) }),
  );
  const outcomes = await Promise.allSettled(deliveries.map((delivery) => tryBatch(process, [toItem(delivery)])));
  expect(outcomes.map(({ status }) => status)).toEqual(
    deliveries.map(({ eventId }) => (eventId === poisonId ? 'rejected' : 'fulfilled')),
  );
  expect(outcomes[4]).toMatchObject({ reason: expect.objectContaining({ message: 'poison' }) });
});

describe('a run whose deliveries all have a widget', () => {
  /** A worker whose rows are marked published only after `release`, or fail to be. */
  function openHeldWorker(mark: 'hold' | 'fail' = 'hold') {
    const { backend } = testBackend;
    const released = Promise.withResolvers<void>();
    const unfinished: unknown[] = [];
    const ledger = overrideMethod(backend.ledger, 'markPublished', async (deliveries, at) => {
      if (mark === 'fail') throw new UnavailableError('no answer');
      await released.promise;
      await backend.ledger.markPublished(deliveries, at);
    });
    const worker = createBatchProcessor({ ...backend, ledger }, systemClock, (error) => unfinished.push(error));
    const run = (widgetId: string | null) => {
      const delivery = aDelivery({ widgetId });
      return { delivery, outcome: worker.processBatch([toItem(delivery)], new AbortController().signal) };
    };
    return { run, settle: worker.settle, release: released.resolve, unfinished };
  }

  const readState = async ({ eventId }: Delivery) => (await testBackend.backend.ledger.get(eventId))?.state;

  test('is done once its events are recorded, and the next run of its widget waits for its last steps', async () => {
    const [widgetId = '', otherId = ''] = await insertWidgets(2);
    const { run, settle, release } = openHeldWorker();
    const first = run(widgetId);
    expect(await first.outcome).toMatchObject({ status: 'published' });
    expect(await readState(first.delivery)).toBe('received');
    const second = run(widgetId);
    expect(await run(otherId).outcome).toMatchObject({ status: 'published' });
    expect(await testBackend.backend.ledger.get(second.delivery.eventId)).toBeNull();
    release();
    expect(await second.outcome).toMatchObject({ status: 'published' });
    await settle();
    expect(await Promise.all([first, second].map(({ delivery }) => readState(delivery)))).toEqual([
      'published',
      'published',
    ]);
  });

  test('leaves its outbox to the next run if its last steps fail, and reports that', async () => {
    const [widgetId = ''] = await insertWidgets(1);
    const { run, settle, unfinished } = openHeldWorker('fail');
    const { delivery, outcome } = run(widgetId);
    expect(await outcome).toMatchObject({ status: 'published' });
    await settle();
    expect(unfinished).toEqual([expect.any(UnavailableError)]);
    await processUntilPublished(createWorker(testBackend.backend), [{ type: 'nudge', widgetId }]);
    expect(await readState(delivery)).toBe('published');
    expect(await testBackend.backend.effects.load([widgetId])).toMatchObject([{ outbox: [] }]);
  });

  test('does not let a run with a delivery without a widget be done before its row is marked', async () => {
    const { run } = openHeldWorker('fail');
    await expect(run(null).outcome).rejects.toBeInstanceOf(UnavailableError);
  });
});
