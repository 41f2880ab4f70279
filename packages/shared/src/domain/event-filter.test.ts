import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { compileFilter, type EventFilter, type FilterableEvent, noFilter, toFilterKey } from './event-filter.ts';

const widgetEvent: FilterableEvent = {
  type: 'widget.retired',
  widgetId: 'a',
  state: 'retired',
  stateBefore: 'active',
  labels: ['red', 'round'],
};
const unknownWidgetEvent: FilterableEvent = {
  type: 'widget.updated',
  widgetId: 'z',
  state: null,
  stateBefore: null,
  labels: null,
};
const noWidgetIdEvent: FilterableEvent = { ...unknownWidgetEvent, widgetId: null };

const passes = (filter: Partial<EventFilter>, event: FilterableEvent) =>
  compileFilter({ ...noFilter, ...filter })?.(event) ?? true;

describe('compileFilter', () => {
  test('matches any of the types', () => {
    expect(passes({ types: ['widget.created', 'widget.retired'] }, widgetEvent)).toBe(true);
    expect(passes({ types: ['widget.created', 'widget.retired'] }, unknownWidgetEvent)).toBe(false);
  });

  test('matches any of the widget ids, even one that no widget has', () => {
    expect(passes({ widgetIds: ['b', 'a'] }, widgetEvent)).toBe(true);
    expect(passes({ widgetIds: ['b', 'a'] }, unknownWidgetEvent)).toBe(false);
    expect(passes({ widgetIds: ['z'] }, unknownWidgetEvent)).toBe(true);
    expect(passes({ widgetIds: ['z'] }, noWidgetIdEvent)).toBe(false);
  });

  test('matches any of the states, before or after the event, and no event without a widget', () => {
    expect(passes({ states: ['active'] }, widgetEvent)).toBe(true);
    expect(passes({ states: ['retired'] }, widgetEvent)).toBe(true);
    expect(passes({ states: ['retired'] }, { ...widgetEvent, state: 'active' })).toBe(false);
    expect(passes({ states: ['active', 'retired'] }, unknownWidgetEvent)).toBe(false);
  });

  test('matches any of the labels, and no event without a widget', () => {
    expect(passes({ labels: ['blue', 'round'] }, widgetEvent)).toBe(true);
    expect(passes({ labels: ['blue', 'Round'] }, widgetEvent)).toBe(false);
    expect(passes({ labels: ['blue'] }, { ...widgetEvent, labels: [] })).toBe(false);
    expect(passes({ labels: ['blue'] }, unknownWidgetEvent)).toBe(false);
  });

  test('returns null for a filter without conditions', () => {
    expect(compileFilter(noFilter)).toBeNull();
  });
});

const types = ['widget.created', 'widget.updated', 'widget.retired'] as const;
const states = ['active', 'retired'] as const;
const ids = ['a', 'b', 'c'] as const;
const labels = ['red', 'blue', 'round', ''] as const;
/** Null, or one to four of these values, possibly repeated. */
const arbitraryValues = <T>(values: readonly T[]) =>
  fc.option(fc.array(fc.constantFrom(...values), { minLength: 1, maxLength: 4 }));
const filters: fc.Arbitrary<EventFilter> = fc.record({
  types: arbitraryValues(types),
  widgetIds: arbitraryValues(ids),
  states: arbitraryValues(states),
  labels: arbitraryValues(labels),
});
const events: fc.Arbitrary<FilterableEvent> = fc.record({
  type: fc.constantFrom(...types),
  widgetId: fc.option(fc.constantFrom(...ids)),
  state: fc.option(fc.constantFrom(...states)),
  stateBefore: fc.option(fc.constantFrom(...states)),
  labels: fc.option(fc.uniqueArray(fc.constantFrom(...labels))),
});

describe('every filter', () => {
  test('passes an event exactly if each of its members alone passes it', () => {
    fc.assert(
      fc.property(filters, events, (filter, event) => {
        const results = (Object.keys(filter) as (keyof EventFilter)[]).map((member) =>
          passes({ [member]: filter[member] }, event),
        );
        expect(passes(filter, event)).toBe(!results.includes(false));
      }),
    );
  });

  test('with one member passes an event exactly if one of the values of that member alone passes it', () => {
    fc.assert(
      fc.property(filters, events, (filter, event) => {
        for (const member of Object.keys(filter) as (keyof EventFilter)[]) {
          const values = filter[member];
          if (values === null) continue;
          expect(passes({ [member]: values }, event)).toBe(
            values.some((value) => passes({ [member]: [value] }, event)),
          );
        }
      }),
    );
  });

  test('has the same key as another filter exactly if their sets of values are the same', () => {
    const hasSameSets = (a: EventFilter, b: EventFilter) =>
      (Object.keys(a) as (keyof EventFilter)[]).every((member) => {
        const [setA, setB] = [a[member], b[member]].map((values) => values && new Set<string>(values));
        return setA && setB ? setA.size === setB.size && [...setA].every((value) => setB.has(value)) : setA === setB;
      });
    fc.assert(
      fc.property(filters, filters, (a, b) => {
        expect(toFilterKey(a) === toFilterKey(b)).toBe(hasSameSets(a, b));
        expect(toFilterKey({ ...a, labels: a.labels && [...a.labels].reverse() })).toBe(toFilterKey(a));
      }),
    );
  });
});
