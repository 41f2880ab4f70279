import type { QueueItem } from '@widget-service/shared/domain/queue-item.ts';
import type { Backend } from '@widget-service/shared/ports/backend.ts';
import { describe, expect, inject, test } from 'vitest';
import { aCreation, aDelivery } from '../drivers/app/builders.ts';
import { openSharedBackend } from '../drivers/app/open-shared.ts';
import { createWorker, processUntilPublished, readLog, toItem, tryBatch } from './drive-runs.ts';
import { createInterleaving } from './interleaving.ts';

const testBackend = await openSharedBackend();

/**
 * Processes at the same time: the first batch twice, a nudge once, and the second batch once and then until it is
 * published. The batches have hooks in common. Then processes all of them again without failures, as the worker does.
 */
async function processInterleaved(backend: Backend, seed: number, failureRate: number) {
  const creation = aCreation();
  const widgetId = creation.widget.id;
  await backend.widgets.insertOnce(creation);
  const [a1, a2, b1] = [aDelivery({ widgetId }), aDelivery({ widgetId, kind: 'retired' }), aDelivery({ widgetId })];
  const withoutWidget = aDelivery({ widgetId: null, payload: '{"widget":false}' });
  const first = [a1, a2, withoutWidget].map(toItem);
  const second = [b1, a1, withoutWidget].map(toItem);
  const nudge: QueueItem[] = [{ type: 'nudge', widgetId }];

  const processWithFailures = createWorker(createInterleaving(seed, failureRate)(backend));
  await Promise.all([
    ...[first, first, second, nudge].map((batch) => tryBatch(processWithFailures, batch)),
    processUntilPublished(processWithFailures, second, maxRuns),
  ]);
  const process = createWorker(backend);
  for (const batch of [first, second, nudge]) await processUntilPublished(process, batch, maxRuns);
  return { widgetId, hooks: [a1, a2, b1], withoutWidget, createdId: creation.created.eventId };
}

/** How often a batch may run before the test fails. Overlapping runs supersede each other, and calls fail. */
const maxRuns = 200;

const seeds = Array.from({ length: inject('backend') === 'embedded' ? 60 : 20 }, (_, index) => index + 1);

describe.each([
  ['without failures', 0],
  ['with 6 % of their store calls failing before they take effect, and 6 % after', 0.06],
])('overlapping runs %s', (_, failureRate) => {
  test.each(seeds)('apply and publish each hook once, in order (seed %i)', async (seed) => {
    const { backend } = testBackend;
    const { widgetId, hooks, withoutWidget, createdId } = await processInterleaved(backend, seed, failureRate);

    const widget = await backend.widgets.get(widgetId);
    expect(widget).toMatchObject({ version: 4, state: 'retired' });
    const log = await readLog(backend.eventLog);
    const events = log.filter(({ event }) => event.widgetId === widgetId);
    expect(events.map(({ event }) => JSON.parse(event.json).data.widget.version)).toEqual([1, 2, 3, 4]);
    const eventIds = events.map(({ event }) => event.eventId);
    expect(eventIds[0]).toBe(createdId);
    expect(new Set(eventIds)).toEqual(new Set([createdId, ...hooks.map((hook) => hook.eventId)]));

    const copies = log.filter(({ event }) => event.eventId === withoutWidget.eventId);
    expect(copies.map(({ event }) => event.widgetId)).toEqual([null]);
    for (const hook of [...hooks, withoutWidget]) {
      expect(await backend.ledger.get(hook.eventId)).toMatchObject({ state: 'published' });
    }
    expect(await backend.effects.load([widgetId])).toMatchObject([{ outbox: [] }]);
  });
});
