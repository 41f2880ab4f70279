import type { Delivery } from '@widget-service/shared/domain/hook-event.ts';
import type { QueueItem } from '@widget-service/shared/domain/queue-item.ts';
import type { Backend } from '@widget-service/shared/ports/backend.ts';
import type { LogRecord } from '@widget-service/shared/ports/event-log.ts';
import { systemClock } from '@widget-service/shared/runtime/clock.ts';
import { makePublishOutbox } from '@widget-service/shared/usecases/events/publish-outbox.ts';
import { makeProcessBatch } from '@widget-service/shared/usecases/hooks/process-batch.ts';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { aCreation, aDelivery } from '../drivers/builders.ts';
import { openTestBackend } from '../drivers/open-test-backend.ts';
import type { TestBackend } from '../drivers/test-backend.ts';
import { createInterleaving } from './interleaving.ts';

let opened: TestBackend;
beforeAll(async () => {
  opened = await openTestBackend();
});
afterAll(() => opened.dispose());

const forever = new AbortController().signal;
const item = (delivery: Delivery): QueueItem => ({ type: 'delivery', delivery });

function processorOn(ports: Pick<Backend, 'runs' | 'effects' | 'ledger' | 'outboxes' | 'eventLog'>) {
  const publishOutbox = makePublishOutbox({ ...ports, clock: systemClock });
  return makeProcessBatch({ ...ports, publishOutbox, clock: systemClock });
}

/** Runs a batch again and again until it is published, as the consumer does. */
async function untilPublished(process: ReturnType<typeof processorOn>, items: readonly QueueItem[]): Promise<void> {
  for (let tries = 0; tries < 200; tries += 1) {
    const outcome = await process(items, forever).catch(() => null);
    if (outcome?.status === 'published') return;
  }
  throw new Error('not published in 200 runs');
}

async function eventsOf(backend: Backend, widgetId: string, from: LogRecord | null): Promise<LogRecord[]> {
  const known = await backend.eventLog.inspect(null);
  const all: LogRecord[] = [];
  let after = from ?? known?.extent.oldest;
  while (after !== undefined) {
    const page: LogRecord[] = await backend.eventLog.readAfter(after, 500);
    all.push(...page);
    after = page.at(-1);
  }
  return all.filter((record) => record.event.widgetId === widgetId);
}

/** The same few hooks in two batches that know nothing of each other, the first of them twice, and a nudge. */
async function interleave(backend: Backend, seed: number, failureRate: number) {
  const creation = aCreation();
  const widgetId = creation.widget.id;
  await backend.widgets.insertOnce(creation);
  const [a1, a2, b1] = [aDelivery({ widgetId }), aDelivery({ widgetId, kind: 'retired' }), aDelivery({ widgetId })];
  const loose = aDelivery({ widgetId: null, payload: '{"loose":true}' });
  const first = [item(a1), item(a2), item(loose)];
  const second = [item(b1), item(a1), item(loose)];
  const nudge: QueueItem[] = [{ type: 'nudge', widgetId }];

  const process = processorOn(createInterleaving(seed, failureRate)(backend));
  const once = (items: QueueItem[]) => process(items, forever).catch(() => null);
  await Promise.all([once(first), once(first), once(second), once(nudge), untilPublished(process, second)]);
  const clean = processorOn(backend);
  for (const batch of [first, second, nudge]) await untilPublished(clean, batch);
  return { widgetId, hooks: [a1, a2, b1], loose, createdId: creation.created.eventId };
}

const seeds = Array.from({ length: inject('backend') === 'embedded' ? 60 : 20 }, (_, index) => index + 1);

describe.each([
  ['none of them dies', 0],
  ['any of them may die at any step, before or after it', 0.06],
])('runs that overlap, %s', (_, failureRate) => {
  it.each(seeds)('each hook takes effect once and is told once, in order (seed %i)', async (seed) => {
    const { backend } = opened;
    const { widgetId, hooks, loose, createdId } = await interleave(backend, seed, failureRate);

    const widget = await backend.widgets.get(widgetId);
    expect(widget).toMatchObject({ version: 4, state: 'retired' });
    const events = await eventsOf(backend, widgetId, null);
    expect(events.map((record) => JSON.parse(record.event.json).data.widget.version)).toEqual([1, 2, 3, 4]);
    const told = events.map((record) => record.event.eventId);
    expect(told[0]).toBe(createdId);
    expect(new Set(told)).toEqual(new Set([createdId, ...hooks.map((hook) => hook.eventId)]));

    const allLoose = await eventsOf(backend, null as unknown as string, null);
    expect(allLoose.filter((record) => record.event.eventId === loose.eventId)).toHaveLength(1);
    for (const hook of [...hooks, loose]) {
      expect(await backend.ledger.get(hook.eventId)).toMatchObject({ state: 'published' });
    }
    const { run } = await backend.runs.startRun();
    const claim = await backend.effects.claim(run, [widgetId]);
    expect(claim.claimed[0]?.outbox).toEqual([]);
  });
});
