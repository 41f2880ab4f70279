import { parseStreamEvent, type WidgetStreamEvent } from '@widget-service/client/stream/stream-event.ts';
import { eventPasses } from '@widget-service/console/stream-events.ts';
import { compileFilter } from '@widget-service/shared/domain/event-filter.ts';
import { toEventWithoutWidget, toWidgetEvent, type WidgetEvent } from '@widget-service/shared/domain/widget-event.ts';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { aDelivery, anEntry, aWidget } from '../../drivers/app/builders.ts';

const ids = [crypto.randomUUID(), crypto.randomUUID()];
const kinds = ['created', 'updated', 'retired'] as const;
const states = ['active', 'retired'] as const;
const labels = ['red', 'Red', 'a, b'];

const someOf = <Value>(values: readonly Value[]) =>
  fc.option(fc.uniqueArray(fc.constantFrom(...values), { minLength: 1 }));
const filters = fc.record({
  types: someOf(kinds.map((kind) => `widget.${kind}` as const)),
  widgetIds: someOf(ids),
  states: someOf(states),
  labels: someOf(labels),
});

const hooksOnWidgets = fc
  .record({
    id: fc.constantFrom(...ids),
    labels: fc.uniqueArray(fc.constantFrom(...labels)),
    kind: fc.constantFrom(...kinds),
    before: fc.constantFrom(...states),
    after: fc.constantFrom(...states),
  })
  .map(({ id, labels, kind, before, after }) => {
    const widget = aWidget({ id, labels, state: after });
    return toWidgetEvent(widget, anEntry(widget, 2, { kind, stateBefore: before }));
  });
const creations = fc
  .record({ id: fc.constantFrom(...ids), labels: fc.uniqueArray(fc.constantFrom(...labels)) })
  .map(({ id, labels }) => {
    const widget = aWidget({ id, labels });
    return toWidgetEvent(widget, anEntry(widget, 1, { kind: 'created', integrationId: null, stateBefore: null }));
  });
const hooksWithoutWidget = fc
  .record({ kind: fc.constantFrom(...kinds), widgetId: fc.constantFrom(...ids, null) })
  .map((members) => toEventWithoutWidget(aDelivery(members)));

/** As a client of the stream gets it. */
function receive({ type, json }: WidgetEvent): WidgetStreamEvent {
  return parseStreamEvent({ name: type, id: '1.1.0', data: json }) as WidgetStreamEvent;
}

test('the live preview of the console shows what a stream with the same filter sends', () => {
  const events = fc.oneof(hooksOnWidgets, creations, hooksWithoutWidget);
  fc.assert(
    fc.property(filters, events, (filter, event) => {
      expect(eventPasses(receive(event), filter)).toBe(compileFilter(filter)?.(event) ?? true);
    }),
    { numRuns: 1_000 },
  );
});
