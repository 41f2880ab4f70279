import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compileFilter, type EventFilter, type FilterableEvent, noFilter, toFilterKey } from './event-filter.ts';

const known: FilterableEvent = {
  type: 'widget.retired',
  widgetId: 'a',
  state: 'retired',
  stateBefore: 'active',
  labels: ['red', 'round'],
};
const unknown: FilterableEvent = {
  type: 'widget.updated',
  widgetId: 'z',
  state: null,
  stateBefore: null,
  labels: null,
};
const nobody: FilterableEvent = { ...unknown, widgetId: null };

const passes = (filter: Partial<EventFilter>, event: FilterableEvent) =>
  compileFilter({ ...noFilter, ...filter })?.(event) ?? true;

describe('a filter', () => {
  it('of types lets those types through', () => {
    expect(passes({ types: ['widget.created', 'widget.retired'] }, known)).toBe(true);
    expect(passes({ types: ['widget.created', 'widget.retired'] }, unknown)).toBe(false);
  });

  it('of widgets looks at the id that was sent, also of a widget that is not known', () => {
    expect(passes({ widgetIds: ['b', 'a'] }, known)).toBe(true);
    expect(passes({ widgetIds: ['b', 'a'] }, unknown)).toBe(false);
    expect(passes({ widgetIds: ['z'] }, unknown)).toBe(true);
    expect(passes({ widgetIds: ['z'] }, nobody)).toBe(false);
  });

  it('of states looks at the state before and after, and lets nothing through that has no widget', () => {
    expect(passes({ states: ['active'] }, known)).toBe(true);
    expect(passes({ states: ['retired'] }, known)).toBe(true);
    expect(passes({ states: ['retired'] }, { ...known, state: 'active' })).toBe(false);
    expect(passes({ states: ['active', 'retired'] }, unknown)).toBe(false);
  });

  it('of labels asks for any of them, and lets nothing through that has no widget', () => {
    expect(passes({ labels: ['blue', 'round'] }, known)).toBe(true);
    expect(passes({ labels: ['blue', 'Round'] }, known)).toBe(false);
    expect(passes({ labels: ['blue'] }, { ...known, labels: [] })).toBe(false);
    expect(passes({ labels: ['blue'] }, unknown)).toBe(false);
  });

  it('with nothing to ask for is no test at all', () => {
    expect(compileFilter(noFilter)).toBeNull();
  });
});

const types = ['widget.created', 'widget.updated', 'widget.retired'] as const;
const states = ['active', 'retired'] as const;
const ids = ['a', 'b', 'c'] as const;
const labels = ['red', 'blue', 'round', ''] as const;
const some = <T>(values: readonly T[]) =>
  fc.option(fc.array(fc.constantFrom(...values), { minLength: 1, maxLength: 4 }));
const filters: fc.Arbitrary<EventFilter> = fc.record({
  types: some(types),
  widgetIds: some(ids),
  states: some(states),
  labels: some(labels),
});
const events: fc.Arbitrary<FilterableEvent> = fc.record({
  type: fc.constantFrom(...types),
  widgetId: fc.option(fc.constantFrom(...ids)),
  state: fc.option(fc.constantFrom(...states)),
  stateBefore: fc.option(fc.constantFrom(...states)),
  labels: fc.option(fc.uniqueArray(fc.constantFrom(...labels))),
});

describe('any filter', () => {
  it('lets through what each of its members alone lets through', () => {
    fc.assert(
      fc.property(filters, events, (filter, event) => {
        const alone = (Object.keys(filter) as (keyof EventFilter)[]).map((member) =>
          passes({ [member]: filter[member] }, event),
        );
        expect(passes(filter, event)).toBe(!alone.includes(false));
      }),
    );
  });

  it('lets through with several values of a member what it lets through with one of them', () => {
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

  it('has the key of each other that lets the same through, whatever its order, and of no other', () => {
    const sameSets = (a: EventFilter, b: EventFilter) =>
      (Object.keys(a) as (keyof EventFilter)[]).every((member) => {
        const [one, other] = [a[member], b[member]].map((values) => values && new Set<string>(values));
        return one && other ? one.size === other.size && [...one].every((value) => other.has(value)) : one === other;
      });
    fc.assert(
      fc.property(filters, filters, (one, other) => {
        expect(toFilterKey(one) === toFilterKey(other)).toBe(sameSets(one, other));
        expect(toFilterKey({ ...one, labels: one.labels && [...one.labels].reverse() })).toBe(toFilterKey(one));
      }),
    );
  });
});
