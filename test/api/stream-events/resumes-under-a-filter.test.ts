import { type EventFilter, noFilter } from '@widget-service/shared/domain/event-filter.ts';
import { formatPosition } from '@widget-service/shared/domain/log-position.ts';
import { toEventWithoutWidget, toWidgetEvent, type WidgetEvent } from '@widget-service/shared/domain/widget-event.ts';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { expectNothingOutside } from '../../checkers/nothing-outside-the-filter.ts';
import { aDelivery, anEntry, aWidget } from '../../drivers/builders.ts';
import { driveEventLog } from '../../drivers/event-log-driver.ts';
import { openStream, type StreamEvent } from '../../drivers/stream-client.ts';
import { openTestService, type TestService } from '../../drivers/test-service.ts';

let service: TestService;
const log = driveEventLog(() => service);
beforeAll(async () => {
  // Positions fall out of the pod's memory after a few events, so that resuming reads the log too.
  service = await openTestService({ HEARTBEAT_INTERVAL_MS: '100', RING_FRAMES: '4' });
});
afterAll(() => service.close());

const ids = ['aaaaaaaa-0000-4000-8000-000000000000', 'bbbbbbbb-0000-4000-8000-000000000000'] as const;
const kinds = ['created', 'updated', 'retired'] as const;
const states = ['active', 'retired'] as const;
const labels = ['red', 'blue', 'round'] as const;
const some = <T>(values: readonly T[]) => fc.option(fc.uniqueArray(fc.constantFrom(...values), { minLength: 1 }));

const knownWidget = fc
  .record({
    id: fc.constantFrom(...ids),
    kind: fc.constantFrom(...kinds),
    change: fc.constantFrom(['active', 'active'], ['active', 'retired'], ['retired', 'retired'] as const),
    labels: fc.uniqueArray(fc.constantFrom(...labels)),
  })
  .map(({ id, kind, change: [before, after], labels: own }): WidgetEvent => {
    const widget = aWidget({ id, labels: own });
    const entry = anEntry(widget, 2, { kind, stateBefore: before ?? null });
    return toWidgetEvent(widget, { ...entry, after: { ...entry.after, state: after ?? 'active' } });
  });
const noWidget = fc
  .record({ kind: fc.constantFrom(...kinds), widgetId: fc.option(fc.constantFrom(...ids)) })
  .map((members): WidgetEvent => toEventWithoutWidget(aDelivery(members)));
const filters: fc.Arbitrary<EventFilter> = fc.record({
  types: some(kinds.map((kind) => `widget.${kind}` as const)),
  widgetIds: some(ids),
  states: some(states),
  labels: some(labels),
});
const plan = fc.record({
  before: fc.array(fc.oneof(knownWidget, noWidget), { maxLength: 8 }),
  bursts: fc.array(fc.array(fc.oneof(knownWidget, noWidget), { minLength: 1, maxLength: 6 }), {
    minLength: 1,
    maxLength: 4,
  }),
  readers: fc.array(
    // Each reader leaves after it has seen so many blocks, again and again, and at last stays.
    fc.record({ filter: filters, leaveAfter: fc.array(fc.nat(3), { maxLength: 3 }) }),
    { minLength: 1, maxLength: 4 },
  ),
});

/** As the interface puts it, member by member. */
function isWanted({ types, widgetIds, states: wanted, labels: any }: EventFilter, event: WidgetEvent): boolean {
  if (types !== null && !types.includes(event.type)) return false;
  if (widgetIds !== null && !widgetIds.some((id) => id === event.widgetId)) return false;
  if (wanted !== null && !wanted.some((state) => state === event.state || state === event.stateBefore)) return false;
  return any === null || any.some((label) => event.labels?.includes(label) === true);
}

const append = (events: readonly WidgetEvent[]) =>
  log.append(events.map((event) => ({ event, mark: { kind: 'event', eventId: event.eventId } })));
const seqOf = (position: string) => Number(position.split('.')[2] ?? 0);

/** Reads until it knows of everything up to `endSeq`, coming back from wherever it was each time it has left. */
async function read(
  url: string,
  from: string,
  leaveAfter: readonly number[],
  endSeq: Promise<number>,
): Promise<StreamEvent[]> {
  const received: StreamEvent[] = [];
  let position = from;
  const stay = async (turn: number): Promise<void> => {
    const stream = await openStream(url, { lastEventId: position });
    const blocks = leaveAfter[turn];
    const knowsAll = endSeq.then((end) => stream.until(() => seqOf(stream.lastEventId()) >= end, 'the last position'));
    const leaves = blocks === undefined ? [] : [stream.until(() => stream.events.length > blocks, `${blocks} blocks`)];
    await Promise.race([...leaves, knowsAll, stream.ended]);
    stream.close();
    expect(JSON.parse(stream.events[0]?.data ?? '{}')).toMatchObject({ resumed: true, cursor: position });
    received.push(...stream.widgetEvents());
    position = stream.lastEventId();
    if (blocks !== undefined || seqOf(position) < (await endSeq)) await stay(turn + 1);
  };
  await stay(0);
  return received;
}

test('a stream equals the filtered list, in order, whatever comes and wherever its client reconnects', async () => {
  await fc.assert(
    fc.asyncProperty(plan, async ({ before, bursts, readers }) => {
      const { last } = await append([]);
      const from = formatPosition(last);
      await append(before);
      const all = [...before, ...bursts.flat()];
      let tellEnd: (seq: number) => void = () => undefined;
      const endSeq = new Promise<number>((resolve) => {
        tellEnd = resolve;
      });
      const reading = readers.map(async ({ filter, leaveAfter }) => {
        const { url } = await service.issueStreamUrl({ filter: { ...noFilter, ...filter } });
        const received = await read(url, from, leaveAfter, endSeq);
        const wanted = all.filter((event) => isWanted(filter, event)).map(({ eventId }) => eventId);
        expect(received.map(({ data }) => (JSON.parse(data) as { id: string }).id)).toEqual(wanted);
        expectNothingOutside(filter, received);
      });
      for (const burst of bursts) await append(burst);
      tellEnd(last.seq + all.length);
      await Promise.all(reading);
    }),
    { numRuns: 12 },
  );
}, 60_000);
