import type { Delivery } from '@widget-service/shared/domain/delivery.ts';
import { expect, test } from 'vitest';
import { type AnsweredWidget, foldWidget } from '../checkers/fold.ts';
import { aCreation, aDelivery, someTime } from '../drivers/app/builders.ts';
import { openSharedBackend } from '../drivers/app/open-shared.ts';
import { createWorker, processUntilPublished, readLog, toItem } from './drive-runs.ts';

const testBackend = await openSharedBackend();

const receivedAt = (second: number) => new Date(Date.UTC(2026, 2, 2, 12, 0, second));

/**
 * Two hooks of the same time, three retirements of which one has the time of a clock that was not set, and two hooks of
 * wrong clocks.
 */
const sixHooks = [
  { kind: 'updated', occurredAt: '2026-03-02T08:00:00Z', receivedAt: receivedAt(1) },
  { kind: 'created', occurredAt: '2026-03-02T08:00:00.000+00:00', receivedAt: receivedAt(2) },
  { kind: 'retired', occurredAt: '2026-03-02T09:00:00.25Z', receivedAt: receivedAt(3) },
  { kind: 'retired', occurredAt: '2026-03-02T07:00:00Z', receivedAt: receivedAt(4) },
  { kind: 'retired', occurredAt: '1970-01-01T00:00:12Z', receivedAt: receivedAt(5) },
  { kind: 'updated', occurredAt: '2099-01-01T00:00:00Z', receivedAt: receivedAt(6) },
] as const;
const repeatedAt = receivedAt(30);

const widgetsPerBatch = 20;
const concurrentBatches = 3;

interface Case {
  readonly creation: ReturnType<typeof aCreation>;
  /** The deliveries in their order of arrival. Each hook arrives once or several times. */
  readonly arrivals: readonly Delivery[];
  readonly eventIds: readonly string[];
}

/** Returns every permutation. */
function permute<T>(items: readonly T[]): T[][] {
  if (items.length === 0) return [[]];
  return items.flatMap((first, index) => permute(items.toSpliced(index, 1)).map((rest) => [first, ...rest]));
}

/** Repeats every hook: at once, among the others, or after all of them, depending on `number`. */
function buildCase(order: readonly (typeof sixHooks)[number][], number: number): Case {
  const creation = aCreation();
  const hooks = order.map((hook) => aDelivery({ ...hook, widgetId: creation.widget.id }));
  let arrivals: Delivery[] = [];
  for (const [index, hook] of hooks.entries()) {
    arrivals.push(hook);
    const repeated = hooks[number % (index + 1)];
    if (repeated !== undefined) arrivals.push({ ...repeated, receivedAt: repeatedAt });
  }
  if (number % 2 === 0) arrivals = [...arrivals, ...hooks.map((hook) => ({ ...hook, receivedAt: repeatedAt }))];
  return { creation, arrivals, eventIds: hooks.map(({ eventId }) => eventId) };
}

/**
 * Splits each case into two batches, at another place in each case. So a repetition is in the same batch as its hook,
 * or comes after an earlier batch has published the hook.
 */
async function processAll(cases: readonly Case[]): Promise<void> {
  const processBatch = createWorker(testBackend.backend);
  const process = async (deliveries: readonly Delivery[]) => {
    const { unstorable } = await processUntilPublished(processBatch, deliveries.map(toItem));
    expect(unstorable).toEqual([]);
  };
  const groups = Array.from({ length: Math.ceil(cases.length / widgetsPerBatch) }, (_, index) =>
    cases.slice(index * widgetsPerBatch, (index + 1) * widgetsPerBatch),
  );
  const workers = Array.from({ length: concurrentBatches }, async () => {
    for (let group = groups.shift(); group !== undefined; group = groups.shift()) {
      const halves = group.map(({ arrivals }, index) => {
        const splitAt = 1 + ((index * 5) % (arrivals.length - 1));
        return [arrivals.slice(0, splitAt), arrivals.slice(splitAt)] as const;
      });
      await process(halves.flatMap(([first]) => first));
      await process(halves.flatMap(([, second]) => second));
    }
  });
  await Promise.all(workers);
}

/** Converts a widget to the form in which the api answers it. */
const toAnswered = (value: unknown) => JSON.parse(JSON.stringify(value)) as AnsweredWidget;

test('processes all 720 orders of six repeated hooks to the same widget, with one event per hook', async () => {
  const cases = permute(sixHooks).map(buildCase);
  expect(cases).toHaveLength(720);
  for (const { creation } of cases) await testBackend.backend.widgets.insertOnce(creation);

  await processAll(cases);

  const eventsByWidget = Map.groupBy(await readLog(testBackend.backend.eventLog), ({ event }) => event.widgetId);
  const states = new Set<string>();
  for (const { creation, arrivals, eventIds } of cases) {
    const widget = toAnswered(await testBackend.backend.widgets.get(creation.widget.id));
    const hooks = arrivals.map((hook) => ({ ...hook, receivedAt: hook.receivedAt.toISOString() }));
    const { updatedAt: _, ...rest } = widget;
    expect(rest).toEqual(foldWidget(toAnswered(creation.widget), hooks));
    states.add(JSON.stringify({ ...widget, id: null }));
    const events = eventsByWidget.get(widget.id) ?? [];
    expect(events.map(({ event }) => event.eventId)).toEqual([creation.created.eventId, ...eventIds]);
    const snapshots = events.map(({ event }) => (JSON.parse(event.json) as { data: { widget: AnsweredWidget } }).data);
    expect(snapshots.map((data) => data.widget.version)).toEqual([1, 2, 3, 4, 5, 6, 7]);
    expect(snapshots.at(-1)?.widget).toEqual(widget);
  }
  expect([...states].map((text) => JSON.parse(text))).toEqual([
    {
      ...toAnswered(cases[0]?.creation.widget),
      id: null,
      state: 'retired',
      createdAt: someTime.toISOString(),
      updatedAt: '2026-03-02T12:00:06.000Z',
      retiredAt: '2026-03-02T07:00:00.000Z',
      lastEventAt: '2026-03-02T12:00:06.000Z',
      version: 7,
    },
  ]);
});
