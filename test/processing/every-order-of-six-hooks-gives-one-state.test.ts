import type { Delivery } from '@widget-service/shared/domain/hook-event.ts';
import type { LogPosition } from '@widget-service/shared/domain/log-position.ts';
import type { LogRecord } from '@widget-service/shared/ports/event-log.ts';
import { systemClock } from '@widget-service/shared/runtime/clock.ts';
import { makePublishOutbox } from '@widget-service/shared/usecases/events/publish-outbox.ts';
import { makeProcessBatch } from '@widget-service/shared/usecases/hooks/process-batch.ts';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type AnsweredWidget, foldWidget } from '../checkers/fold.ts';
import { aCreation, aDelivery, someTime } from '../drivers/builders.ts';
import { openTestBackend } from '../drivers/open-test-backend.ts';
import type { TestBackend } from '../drivers/test-backend.ts';

let opened: TestBackend;
beforeAll(async () => {
  opened = await openTestBackend();
});
afterAll(() => opened.dispose());

const receivedAt = (second: number) => new Date(Date.UTC(2026, 2, 2, 12, 0, second));

/** Among them two of one time, two retirements of which the later one is told twice over, and one from the future. */
const sixHooks = [
  { kind: 'updated', occurredAt: '2026-03-02T08:00:00Z', receivedAt: receivedAt(1) },
  { kind: 'created', occurredAt: '2026-03-02T08:00:00.000+00:00', receivedAt: receivedAt(2) },
  { kind: 'retired', occurredAt: '2026-03-02T09:00:00.25Z', receivedAt: receivedAt(3) },
  { kind: 'retired', occurredAt: '2026-03-02T07:00:00Z', receivedAt: receivedAt(4) },
  { kind: 'retired', occurredAt: '2026-03-02T09:00:00.250Z', receivedAt: receivedAt(5) },
  { kind: 'updated', occurredAt: '2099-01-01T00:00:00Z', receivedAt: receivedAt(6) },
] as const;
const repeatedAt = receivedAt(30);

const widgetsAtOnce = 20;
const batchesAtOnce = 3;

interface Case {
  readonly creation: ReturnType<typeof aCreation>;
  /** What arrives, in its order, each hook once or more often. */
  readonly arrivals: readonly Delivery[];
  readonly eventIds: readonly string[];
}

function ordersOf<T>(all: readonly T[]): T[][] {
  if (all.length === 0) return [[]];
  return all.flatMap((first, at) => ordersOf(all.toSpliced(at, 1)).map((rest) => [first, ...rest]));
}

/** Every hook comes again: at once, among the others, or after all of them, which differs from case to case. */
function caseOf(order: readonly (typeof sixHooks)[number][], number: number): Case {
  const creation = aCreation();
  const hooks = order.map((hook) => aDelivery({ ...hook, widgetId: creation.widget.id }));
  let arrivals: Delivery[] = [];
  for (const [index, hook] of hooks.entries()) {
    arrivals.push(hook);
    const again = hooks[number % (index + 1)];
    if (again !== undefined) arrivals.push({ ...again, receivedAt: repeatedAt });
  }
  if (number % 2 === 0) arrivals = [...arrivals, ...hooks.map((hook) => ({ ...hook, receivedAt: repeatedAt }))];
  return { creation, arrivals, eventIds: hooks.map(({ eventId }) => eventId) };
}

function createRunner() {
  const ports = { ...opened.backend, clock: systemClock };
  const processBatch = makeProcessBatch({ ...ports, publishOutbox: makePublishOutbox(ports) });
  return async (deliveries: readonly Delivery[]) => {
    const items = deliveries.map((delivery) => ({ type: 'delivery', delivery }) as const);
    for (let tries = 0; tries < 20; tries += 1) {
      const outcome = await processBatch(items, AbortSignal.timeout(60_000)).catch(() => null);
      if (outcome?.status === 'published') return outcome.unstorable;
    }
    throw new Error('not published in 20 runs');
  };
}

/** Each case is parted elsewhere, so that a repetition meets its hook in one batch, or published by an earlier one. */
async function runAll(cases: readonly Case[]): Promise<void> {
  const run = createRunner();
  const groups = Array.from({ length: Math.ceil(cases.length / widgetsAtOnce) }, (_, index) =>
    cases.slice(index * widgetsAtOnce, (index + 1) * widgetsAtOnce),
  );
  const workers = Array.from({ length: batchesAtOnce }, async () => {
    for (let group = groups.shift(); group !== undefined; group = groups.shift()) {
      const parted = group.map(({ arrivals }, index) => {
        const at = 1 + ((index * 5) % (arrivals.length - 1));
        return [arrivals.slice(0, at), arrivals.slice(at)] as const;
      });
      expect(await run(parted.flatMap(([early]) => early))).toEqual([]);
      expect(await run(parted.flatMap(([, late]) => late))).toEqual([]);
    }
  });
  await Promise.all(workers);
}

async function everythingTold(): Promise<LogRecord[]> {
  const { eventLog } = opened.backend;
  const records: LogRecord[] = [];
  let after: LogPosition | undefined = (await eventLog.inspect(null))?.extent.oldest;
  while (after !== undefined) {
    const page: LogRecord[] = await eventLog.readAfter(after, 500);
    records.push(...page);
    after = page.at(-1);
  }
  return records;
}

const answered = (value: unknown) => JSON.parse(JSON.stringify(value)) as AnsweredWidget;

it('all 720 orders of six hooks, each with repeats, give one final state, and each hook one event', async () => {
  const cases = ordersOf(sixHooks).map(caseOf);
  expect(cases).toHaveLength(720);
  for (const { creation } of cases) await opened.backend.widgets.insertOnce(creation);

  await runAll(cases);

  const told = Map.groupBy(await everythingTold(), ({ event }) => event.widgetId);
  const states = new Set<string>();
  for (const { creation, arrivals, eventIds } of cases) {
    const widget = answered(await opened.backend.widgets.get(creation.widget.id));
    const hooks = arrivals.map((each) => ({ ...each, receivedAt: each.receivedAt.toISOString() }));
    const { updatedAt: _, ...rest } = widget;
    expect(rest).toEqual(foldWidget(answered(creation.widget), hooks));
    states.add(JSON.stringify({ ...widget, id: null }));
    const events = told.get(widget.id) ?? [];
    expect(events.map(({ event }) => event.eventId)).toEqual([creation.created.eventId, ...eventIds]);
    const snapshots = events.map(({ event }) => (JSON.parse(event.json) as { data: { widget: AnsweredWidget } }).data);
    expect(snapshots.map((data) => data.widget.version)).toEqual([1, 2, 3, 4, 5, 6, 7]);
    expect(snapshots.at(-1)?.widget).toEqual(widget);
  }
  expect([...states].map((text) => JSON.parse(text))).toEqual([
    {
      ...answered(cases[0]?.creation.widget),
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
