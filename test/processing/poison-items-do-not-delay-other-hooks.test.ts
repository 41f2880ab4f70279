import { randomUUID } from 'node:crypto';
import type { Delivery } from '@widget-service/shared/domain/delivery.ts';
import { assignPartition } from '@widget-service/shared/domain/queue-item.ts';
import { systemClock } from '@widget-service/shared/runtime/clock.ts';
import { expect, test } from 'vitest';
import { aCreation, aDelivery } from '../drivers/app/builders.ts';
import { openSharedBackend } from '../drivers/app/open-shared.ts';
import { overrideMethod } from '../drivers/app/override-method.ts';
import { requireReadable } from '../drivers/app/require-readable.ts';
import { consumeUntil } from './consume.ts';
import { readLog } from './drive-runs.ts';

const hookCount = 1_000;
const poisonEvery = 20;
const widgetCount = 40;
const itemsPerJob = 25;
/**
 * A run of 250 hooks on ten widgets isolates its dozen poison items in about 15 writes. Coalescing keeps the number of
 * runs low.
 */
const maxWrites = 200;
const timeoutMs = 60_000;

const testBackend = await openSharedBackend({ hookPartitions: 4 });

const integrationId = randomUUID();
const isPoison = (payload: string | null) => payload?.includes('poison') ?? false;

function buildDeliveries(widgetIds: readonly string[]): Delivery[] {
  return Array.from({ length: hookCount }, (_, index) =>
    aDelivery({
      integrationId,
      widgetId: widgetIds[index % widgetIds.length] ?? null,
      payload: `{"number":${index}${index % poisonEvery === 7 ? ',"poison":true' : ''}}`,
    }),
  );
}

/** Enqueues the deliveries in jobs of `itemsPerJob`. Returns the number of jobs. */
async function enqueueAll(deliveries: readonly Delivery[]): Promise<number> {
  let jobCount = 0;
  const { hookQueue } = testBackend.backend;
  const partitions = Map.groupBy(deliveries, ({ widgetId }) =>
    assignPartition(widgetId ?? '', hookQueue.partitionCount),
  );
  for (const [partition, group] of partitions) {
    for (let at = 0; at < group.length; at += itemsPerJob) {
      const items = group.slice(at, at + itemsPerJob).map((delivery) => ({ type: 'delivery', delivery }) as const);
      jobCount += 1;
      await hookQueue.enqueue({ jobId: `job-${randomUUID()}`, partition, items });
    }
  }
  return jobCount;
}

const countDeliveries = (state: 'published' | 'dead') =>
  testBackend.backend.ledger.count({ integrationId, state }, 2 * hookCount);

/** Reads the log. Returns a function that lists the hooks and versions of one widget's events, in the log's order. */
async function readEvents() {
  const records = await readLog(testBackend.backend.eventLog);
  const events = records.map(({ event: { widgetId, eventId, json } }) => {
    const { data } = JSON.parse(json) as { data: { origin: string; widget: { version: number } } };
    return { widgetId, eventId, version: data.widget.version, isHook: data.origin === 'hook' };
  });
  const byWidget = Map.groupBy(events, ({ widgetId }) => widgetId);
  return (widgetId: string) => {
    const widgetEvents = byWidget.get(widgetId) ?? [];
    const hooks = widgetEvents.filter(({ isHook }) => isHook).map(({ eventId }) => eventId);
    return { hooks, versions: widgetEvents.map(({ version }) => version) };
  };
}

test(
  'dead-letters 50 unstorable hooks among 1 000, and publishes the others in order without further runs',
  async () => {
    await testBackend.rejectPayloads('outbox', 'poison');
    const { backend } = testBackend;
    const creations = Array.from({ length: widgetCount }, () => aCreation());
    for (const creation of creations) await backend.widgets.insertOnce(creation);
    const deliveries = buildDeliveries(creations.map(({ widget }) => widget.id));
    const jobCount = await enqueueAll(deliveries);

    let writes = 0;
    const effects = overrideMethod(backend.effects, 'apply', (changes) => {
      writes += 1;
      return backend.effects.apply(changes);
    });
    const areAllDone = async () => (await countDeliveries('published')) + (await countDeliveries('dead')) === hookCount;
    const metrics = await consumeUntil({ ...backend, effects }, areAllDone, systemClock);
    // Counts runs and writes instead of measuring time: each job ran once, with few additional writes.
    const { values } = await metrics.runSeconds.get();
    const runCounts = values.filter(({ metricName, value }) => metricName.endsWith('_count') && value > 0);
    // A store under load may not answer in time. The worker tries such a run again.
    const outcomes = runCounts.filter(({ labels }) => labels.outcome !== 'unavailable');
    expect(outcomes.map(({ labels }) => labels.outcome)).toEqual(['published']);
    expect(outcomes[0]?.value).toBeLessThanOrEqual(jobCount);
    expect(writes).toBeLessThan(maxWrites);

    const rows = await backend.ledger.list({ integrationId, state: null }, { offset: 0, limit: 2 * hookCount });
    const byId = new Map(requireReadable(rows).map((row) => [row.eventId, row]));
    for (const { eventId, payload } of deliveries) {
      const expected = isPoison(payload) ? { state: 'dead', reason: 'store-refused' } : { state: 'published' };
      expect(byId.get(eventId)).toMatchObject(expected);
    }
    const getEvents = await readEvents();
    for (const { widget } of creations) {
      const { hooks, versions } = getEvents(widget.id);
      const storable = deliveries.filter(({ widgetId, payload }) => widgetId === widget.id && !isPoison(payload));
      expect(hooks).toEqual(storable.map(({ eventId }) => eventId));
      expect(versions).toEqual(versions.map((_, index) => index + 1));
      expect((await backend.widgets.get(widget.id))?.version).toBe(storable.length + 1);
    }
  },
  timeoutMs,
);

test(
  'applies redriven dead letters once, after their cause is gone',
  async () => {
    await testBackend.rejectPayloads('outbox', null);
    const { backend } = testBackend;
    const dead = await backend.ledger.list({ integrationId, state: 'dead' }, { offset: 0, limit: 100 });
    expect(dead).toHaveLength(50);
    const rows = await Promise.all(requireReadable(dead).map(({ eventId }) => backend.ledger.get(eventId)));
    const redriven = rows.flatMap((row) => (row === null ? [] : [{ ...row, kind: 'updated' as const, redrive: true }]));
    await enqueueAll([...redriven, ...redriven]);
    await enqueueAll(redriven);
    await consumeUntil(backend, async () => (await countDeliveries('published')) === hookCount, systemClock);
    expect(await countDeliveries('published')).toBe(hookCount);
    expect(await countDeliveries('dead')).toBe(0);
    const getEvents = await readEvents();
    for (const widgetId of new Set(redriven.map((delivery) => delivery.widgetId))) {
      expect(await backend.widgets.get(widgetId ?? '')).toMatchObject({ version: 1 + hookCount / widgetCount });
      expect(getEvents(widgetId ?? '').hooks).toHaveLength(hookCount / widgetCount);
    }
  },
  timeoutMs,
);
