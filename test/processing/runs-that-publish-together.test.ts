import { randomUUID } from 'node:crypto';
import type { Delivery } from '@widget-service/shared/domain/delivery.ts';
import { UnavailableError } from '@widget-service/shared/domain/errors.ts';
import { systemClock } from '@widget-service/shared/runtime/clock.ts';
import { BatchProcessor } from '@widget-service/shared/usecases/hooks/process-batch.ts';
import { describe, expect, test } from 'vitest';
import { aCreation, aDelivery } from '../drivers/app/builders.ts';
import { openSharedBackend } from '../drivers/app/open-shared.ts';
import { overrideMethod } from '../drivers/app/override-method.ts';
import { eventually } from '../drivers/tools/eventually.ts';
import { createWorker, processUntilPublished, readLog, toItem, tryBatch } from './drive-runs.ts';

const testBackend = await openSharedBackend();

async function insertWidgets(count: number): Promise<string[]> {
  const creations = Array.from({ length: count }, () => aCreation());
  for (const creation of creations) await testBackend.backend.widgets.insertOnce(creation);
  return creations.map(({ widget }) => widget.id);
}

test('each run gets the outcome of its own events, and each row the position of its own event', async () => {
  const { backend } = testBackend;
  const process = createWorker(backend);
  const widgetIds = await insertWidgets(20);
  const receivedAt = (index: number) => new Date(1_764_000_000_000 + index);
  const deliveries = widgetIds.map((widgetId, index) => aDelivery({ widgetId, receivedAt: receivedAt(index) }));
  const outcomes = await Promise.all(deliveries.map((delivery) => processUntilPublished(process, [toItem(delivery)])));
  // The creation is the other event of each run.
  for (const [index, { appendedReceivedAt }] of outcomes.entries()) {
    expect(appendedReceivedAt).toHaveLength(2);
    expect(appendedReceivedAt[1]).toEqual(receivedAt(index));
  }
  const seqs = new Map((await readLog(backend.eventLog)).map(({ event, seq }) => [event.eventId, seq]));
  for (const { eventId } of deliveries) {
    expect((await backend.ledger.get(eventId))?.position?.seq).toBe(seqs.get(eventId));
  }
});

test('one delivery in two runs that append together is published once, with its position', async () => {
  const { backend } = testBackend;
  const released = Promise.withResolvers<void>();
  // The first append waits, so that the two runs behind it share the second one.
  let appends = 0;
  const eventLog = overrideMethod(backend.eventLog, 'append', async (...args) => {
    appends += 1;
    if (appends === 1) await released.promise;
    return backend.eventLog.append(...args);
  });
  const process = createWorker({ ...backend, eventLog });
  const first = processUntilPublished(process, [toItem(aDelivery({ widgetId: null }))]);
  await eventually(async () => appends === 1, 'the first run appends');
  const delivery = aDelivery({ widgetId: null });
  const runs = [1, 2].map(() => processUntilPublished(process, [toItem(delivery)]));
  const isRegisteredTwice = async () => (await backend.ledger.get(delivery.eventId))?.attempts === 2;
  await eventually(isRegisteredTwice, 'both runs have registered the delivery');
  released.resolve();
  await Promise.all([first, ...runs]);
  const events = (await readLog(backend.eventLog)).filter(({ event }) => event.eventId === delivery.eventId);
  expect(events).toHaveLength(1);
  expect(appends).toBe(2);
  expect(await backend.ledger.get(delivery.eventId)).toMatchObject({
    state: 'published',
    position: { seq: events[0]?.seq },
  });
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
    const onUnfinished = (error: unknown) => void unfinished.push(error);
    const worker = new BatchProcessor({ ...backend, ledger, clock: systemClock, onUnfinished });
    const run = (widgetId: string | null) => {
      const delivery = aDelivery({ widgetId });
      return { delivery, outcome: worker.process([toItem(delivery)], new AbortController().signal) };
    };
    return { run, waitForRuns: () => worker.waitForRuns(), release: released.resolve, unfinished };
  }

  const readState = async ({ eventId }: Delivery) => (await testBackend.backend.ledger.get(eventId))?.state;

  test('is done once its events are recorded, and the next run of its widget waits for its last steps', async () => {
    const [widgetId = '', otherId = ''] = await insertWidgets(2);
    const { run, waitForRuns, release } = openHeldWorker();
    const first = run(widgetId);
    expect(await first.outcome).toMatchObject({ status: 'published' });
    expect(await readState(first.delivery)).toBe('received');
    const second = run(widgetId);
    expect(await run(otherId).outcome).toMatchObject({ status: 'published' });
    expect(await testBackend.backend.ledger.get(second.delivery.eventId)).toBeNull();
    release();
    expect(await second.outcome).toMatchObject({ status: 'published' });
    await waitForRuns();
    expect(await Promise.all([first, second].map(({ delivery }) => readState(delivery)))).toEqual([
      'published',
      'published',
    ]);
  });

  test('leaves its outbox to the next run if its last steps fail, and reports that', async () => {
    const [widgetId = ''] = await insertWidgets(1);
    const { run, waitForRuns, unfinished } = openHeldWorker('fail');
    const { delivery, outcome } = run(widgetId);
    expect(await outcome).toMatchObject({ status: 'published' });
    await waitForRuns();
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
