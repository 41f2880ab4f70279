import { signal } from '@preact/signals';
import { expect, test } from 'vitest';
import { describeFilter, fromFilter, toFilter } from './filter-values.ts';

const everything = { types: null, states: null, labels: null, widgetIds: null };

test('an empty field lets everything through', () => {
  expect(toFilter(fromFilter({}))).toEqual(everything);
  expect(toFilter(fromFilter(everything))).toEqual(everything);
});

test('what is typed counts as one more value, once', () => {
  const read = (chosen: string[], text: string) =>
    toFilter({ ...fromFilter({}), labels: signal({ chosen, text }) }).labels;
  expect(read(['cellar', 'hall, east'], ' attic ')).toEqual(['cellar', 'hall, east', 'attic']);
  expect(read(['cellar'], 'cellar')).toEqual(['cellar']);
});

test('a filter stays the same if nobody changes it, also a label with a comma', () => {
  const filter = {
    types: ['widget.created' as const],
    states: ['retired' as const],
    labels: ['hall, east'],
    widgetIds: ['1'],
  };
  expect(toFilter(fromFilter(filter))).toEqual(filter);
});

test('names what a filter lets through, with the names of widgets that are known', () => {
  expect(describeFilter(everything, () => null)).toBe('All events');
  expect(
    describeFilter(
      {
        types: ['widget.created', 'widget.retired'],
        states: ['active'],
        labels: ['cellar', 'hall, east'],
        widgetIds: ['1', '2'],
      },
      (id) => (id === '1' ? 'Boiler' : null),
    ),
  ).toBe('Kinds: Created, Retired · States: Active · Labels: cellar, hall, east · Widgets: Boiler, 2');
});
