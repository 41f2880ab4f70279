import { expect, test } from 'vitest';
import { describeFilter } from './describe-filter.ts';

const noFilter = { types: null, widgetIds: null, states: null, labels: null };

test('names what a filter lets through, with the names of widgets that are known', () => {
  expect(describeFilter(noFilter, () => null)).toBe('All events');
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
