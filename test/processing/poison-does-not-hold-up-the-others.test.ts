import { randomUUID } from 'node:crypto';
import type { Delivery } from '@widget-service/shared/domain/hook-event.ts';
import type { LogPosition } from '@widget-service/shared/domain/log-position.ts';
import { assignPartition } from '@widget-service/shared/domain/queue-item.ts';
import type { LogRecord } from '@widget-service/shared/ports/event-log.ts';
import { systemClock } from '@widget-service/shared/runtime/clock.ts';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { aCreation, aDelivery } from '../drivers/builders.ts';
import { openTestBackend } from '../drivers/open-test-backend.ts';
import { instead } from '../drivers/override-method.ts';
import type { TestBackend } from '../drivers/test-backend.ts';
import { consumeUntil } from './consume.ts';

const hookCount = 1_000;
const poisonEvery = 20;
const widgetCount = 40;
const itemsPerJob = 25;
/** A run of 250 hooks on ten widgets finds its dozen bad ones in about 15 writes; jobs are mostly run together. */
const writesMax = 200;
const timeoutMs = 60_000;

let opened: TestBackend;
beforeAll(async () => {
  opened = await openTestBackend({ hookPartitions: 4 });
});
afterAll(() => opened.dispose());

const integrationId = randomUUID();
const isPoison = (payload: string | null) => payload?.includes('poison') ?? false;

function deliveriesOver(widgetIds: readonly string[]): Delivery[] {
  return Array.from({ length: hookCount }, (_, index) =>
    aDelivery({
      integrationId,
      widgetId: widgetIds[index % widgetIds.length] ?? null,
      payload: `{"number":${index}${index % poisonEvery === 7 ? ',"poison":true' : ''}}`,
    }),
  );
}

/** Returns how many jobs it made. */
async function enqueueAll(deliveries: readonly Delivery[]): Promise<number> {
  let jobs = 0;
  const { hookQueue } = opened.backend;
  const partitions = Map.groupBy(deliveries, ({ widgetId }) =>
    assignPartition(widgetId ?? '', hookQueue.partitionCount),
  );
  for (const [partition, ofPartition] of partitions) {
    for (let at = 0; at < ofPartition.length; at += itemsPerJob) {
      const items = ofPartition
        .slice(at, at + itemsPerJob)
        .map((delivery) => ({ type: 'delivery', delivery }) as const);
      jobs += 1;
      await hookQueue.enqueue({ jobId: `job-${randomUUID()}`, partition, items });
    }
  }
  return jobs;
}

/** What the event log tells of each widget, in order. */
async function told() {
  const { eventLog } = opened.backend;
  const events: { widgetId: string | null; eventId: string; version: number; isHook: boolean }[] = [];
  let after: LogPosition | undefined = (await eventLog.inspect(null))?.extent.oldest;
  while (after !== undefined) {
    const page: LogRecord[] = await eventLog.readAfter(after, 500);
    for (const { event } of page) {
      const { data } = JSON.parse(event.json) as { data: { origin: string; widget: { version: number } } };
      const { widgetId, eventId } = event;
      events.push({ widgetId, eventId, version: data.widget.version, isHook: data.origin === 'hook' });
    }
    after = page.at(-1);
  }
  const byWidget = Map.groupBy(events, ({ widgetId }) => widgetId);
  return (widgetId: string) => {
    const all = byWidget.get(widgetId) ?? [];
    const hooks = all.filter(({ isHook }) => isHook).map(({ eventId }) => eventId);
    return { hooks, versions: all.map(({ version }) => version) };
  };
}

it(
  '50 of 1 000 hooks that no store takes die alone, in order, and cost the others no further run',
  async () => {
    await opened.refusePayloads('outbox', 'poison');
    const { backend } = opened;
    const creations = Array.from({ length: widgetCount }, () => aCreation());
    for (const creation of creations) await backend.widgets.insertOnce(creation);
    const deliveries = deliveriesOver(creations.map(({ widget }) => widget.id));
    const jobs = await enqueueAll(deliveries);

    let writes = 0;
    const effects = instead(backend.effects, 'apply', (run, changes) => {
      writes += 1;
      return backend.effects.apply(run, changes);
    });
    const metrics = await consumeUntil({ ...backend, effects }, async () => true, systemClock);
    // What holds the good ones up is counted, not timed: each job was run once, with few writes more.
    const { values } = await metrics.batches.get();
    // A store under load may not answer in time: such a run is tried again.
    const ends = values.filter(({ labels }) => labels.outcome !== 'unavailable');
    expect(ends.map(({ labels }) => labels.outcome)).toEqual(['published']);
    expect(ends[0]?.value).toBeLessThanOrEqual(jobs);
    expect(writes).toBeLessThan(writesMax);

    const rows = await backend.ledger.list({ integrationId, state: null }, { offset: 0, limit: 2 * hookCount });
    const byId = new Map(rows.map((row) => [row.eventId, row]));
    for (const { eventId, payload } of deliveries) {
      const expected = isPoison(payload) ? { state: 'dead', reason: 'store-refused' } : { state: 'published' };
      expect(byId.get(eventId)).toMatchObject(expected);
    }
    const toldOf = await told();
    for (const { widget } of creations) {
      const { hooks, versions } = toldOf(widget.id);
      const good = deliveries.filter(({ widgetId, payload }) => widgetId === widget.id && !isPoison(payload));
      expect(hooks).toEqual(good.map(({ eventId }) => eventId));
      expect(versions).toEqual(versions.map((_, index) => index + 1));
      expect((await backend.widgets.get(widget.id))?.version).toBe(good.length + 1);
    }
  },
  timeoutMs,
);

it(
  'once the cause is gone, what was given up takes effect when it is redriven, once',
  async () => {
    await opened.refusePayloads('outbox', null);
    const { backend } = opened;
    const dead = await backend.ledger.list({ integrationId, state: 'dead' }, { offset: 0, limit: 100 });
    expect(dead).toHaveLength(50);
    const rows = await Promise.all(dead.map(({ eventId }) => backend.ledger.get(eventId)));
    const redriven = rows.flatMap((row) => (row === null ? [] : [{ ...row, kind: 'updated' as const, redrive: true }]));
    await enqueueAll([...redriven, ...redriven]);
    await enqueueAll(redriven);
    await consumeUntil(backend, async () => true, systemClock);
    expect(await backend.ledger.count({ integrationId, state: 'published' }, 10_000)).toBe(hookCount);
    expect(await backend.ledger.count({ integrationId, state: 'dead' }, 10_000)).toBe(0);
    const toldOf = await told();
    for (const widgetId of new Set(redriven.map((delivery) => delivery.widgetId))) {
      expect(await backend.widgets.get(widgetId ?? '')).toMatchObject({ version: 1 + hookCount / widgetCount });
      expect(toldOf(widgetId ?? '').hooks).toHaveLength(hookCount / widgetCount);
    }
  },
  timeoutMs,
);
