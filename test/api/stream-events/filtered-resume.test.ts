import { type EventFilter, noFilter } from '@widget-service/shared/domain/event-filter.ts';
import { formatPosition } from '@widget-service/shared/domain/sse-id.ts';
import { toEventWithoutWidget, toWidgetEvent, type WidgetEvent } from '@widget-service/shared/domain/widget-event.ts';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { expectNothingOutside } from '../../checkers/nothing-outside-the-entitlement.ts';
import { aDelivery, anEntry, aWidget } from '../../drivers/app/builders.ts';
import { driveEventLog } from '../../drivers/app/log-drivers.ts';
import { openSharedService } from '../../drivers/app/open-shared.ts';
import { openStream, type StreamEvent } from '../../drivers/streams/stream-client.ts';

const log = driveEventLog(() => service);
// A ring of four frames makes a resume read the event log as well.
const service = await openSharedService({}, {}, { fanOut: { heartbeatIntervalMs: 100, ringFrames: 4 } });

const ids = ['aaaaaaaa-0000-4000-8000-000000000000', 'bbbbbbbb-0000-4000-8000-000000000000'] as const;
const kinds = ['created', 'updated', 'retired'] as const;
const widgetStates = ['active', 'retired'] as const;
const widgetLabels = ['red', 'blue', 'round'] as const;
const chooseSome = <T>(values: readonly T[]) => fc.option(fc.uniqueArray(fc.constantFrom(...values), { minLength: 1 }));

const eventOfWidget = fc
  .record({
    id: fc.constantFrom(...ids),
    kind: fc.constantFrom(...kinds),
    change: fc.constantFrom(['active', 'active'], ['active', 'retired'], ['retired', 'retired'] as const),
    labels: fc.uniqueArray(fc.constantFrom(...widgetLabels)),
  })
  .map(({ id, kind, change: [before, after], labels: own }): WidgetEvent => {
    const widget = aWidget({ id, labels: own });
    const entry = anEntry(widget, 2, { kind, stateBefore: before ?? null });
    return toWidgetEvent(widget, { ...entry, after: { ...entry.after, state: after ?? 'active' } });
  });
const eventWithoutWidget = fc
  .record({ kind: fc.constantFrom(...kinds), widgetId: fc.option(fc.constantFrom(...ids)) })
  .map((members): WidgetEvent => toEventWithoutWidget(aDelivery(members)));
const filters: fc.Arbitrary<EventFilter> = fc.record({
  types: chooseSome(kinds.map((kind) => `widget.${kind}` as const)),
  widgetIds: chooseSome(ids),
  states: chooseSome(widgetStates),
  labels: chooseSome(widgetLabels),
});
const plan = fc.record({
  before: fc.array(fc.oneof(eventOfWidget, eventWithoutWidget), { maxLength: 8 }),
  bursts: fc.array(fc.array(fc.oneof(eventOfWidget, eventWithoutWidget), { minLength: 1, maxLength: 6 }), {
    minLength: 1,
    maxLength: 4,
  }),
  readers: fc.array(
    // Each reader disconnects after the given numbers of messages, one after the other, and then stays connected.
    fc.record({ filter: filters, disconnectAfter: fc.array(fc.nat(3), { maxLength: 3 }) }),
    { minLength: 1, maxLength: 4 },
  ),
});

/** The filter rule of the interface, independent of the product code. */
function matchesFilter({ types, widgetIds, states, labels }: EventFilter, event: WidgetEvent): boolean {
  if (types !== null && !types.includes(event.type)) return false;
  if (widgetIds !== null && !widgetIds.some((id) => id === event.widgetId)) return false;
  if (states !== null && !states.some((state) => state === event.state || state === event.stateBefore)) return false;
  return labels === null || labels.some((label) => event.labels?.includes(label) === true);
}

const append = (events: readonly WidgetEvent[]) =>
  log.append(events.map((event) => ({ event, mark: { kind: 'event', eventId: event.eventId } })));
const parseSeq = (position: string) => Number(position.split('.')[2] ?? 0);

/** Reads up to `endSeq`. Resumes from its last position after each disconnect. */
async function readEvents(
  url: string,
  from: string,
  disconnectAfter: readonly number[],
  endSeq: Promise<number>,
): Promise<StreamEvent[]> {
  const received: StreamEvent[] = [];
  let position = from;
  const connect = async (attempt: number): Promise<void> => {
    const stream = await openStream(url, { lastEventId: position });
    const messageCount = disconnectAfter[attempt];
    const reachesEnd = endSeq.then((end) =>
      stream.until(() => parseSeq(stream.lastEventId()) >= end, 'the last position'),
    );
    const disconnects =
      messageCount === undefined
        ? []
        : [stream.until(() => stream.events.length > messageCount, `${messageCount} messages`)];
    await Promise.race([...disconnects, reachesEnd, stream.ended]);
    stream.close();
    expect(JSON.parse(stream.events[0]?.data ?? '{}')).toMatchObject({ resumed: true, cursor: position });
    received.push(...stream.widgetEvents());
    position = stream.lastEventId();
    if (messageCount !== undefined || parseSeq(position) < (await endSeq)) await connect(attempt + 1);
  };
  await connect(0);
  return received;
}

test('GET /api/v1/events/{token} sends exactly the matching events in order, wherever the client reconnects', async () => {
  await fc.assert(
    fc.asyncProperty(plan, async ({ before, bursts, readers }) => {
      const { last } = await append([]);
      const from = formatPosition(last);
      await append(before);
      const all = [...before, ...bursts.flat()];
      let resolveEnd: (seq: number) => void = () => undefined;
      const endSeq = new Promise<number>((resolve) => {
        resolveEnd = resolve;
      });
      const reading = readers.map(async ({ filter, disconnectAfter }) => {
        const { url } = await service.issueStreamUrl({ filter: { ...noFilter, ...filter } });
        const received = await readEvents(url, from, disconnectAfter, endSeq);
        const wanted = all.filter((event) => matchesFilter(filter, event)).map(({ eventId }) => eventId);
        expect(received.map(({ data }) => (JSON.parse(data) as { id: string }).id)).toEqual(wanted);
        expectNothingOutside(filter, received);
      });
      for (const burst of bursts) await append(burst);
      resolveEnd(last.seq + all.length);
      await Promise.all(reading);
    }),
    { numRuns: 12 },
  );
}, 60_000);
