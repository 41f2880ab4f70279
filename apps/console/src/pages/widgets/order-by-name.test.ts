import type { LiveWidget } from '@widget-service/client/live/live-widget.ts';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { orderByName } from './order-by-name.ts';

const widget = (name: string, id = name) => ({ id, name }) as LiveWidget;
const order = (...names: string[]) => orderByName(names.map((name) => widget(name))).map(({ name }) => name);

test('orders numbers in names by their value, and keeps the latest version of a widget', () => {
  expect(order('Lamp 10', 'bell', 'Lamp 9')).toEqual(['bell', 'Lamp 9', 'Lamp 10']);
  expect(order('Lamp 10', 'Lamp 9', 'Lamp 9b', 'Ärmel')).toEqual(['Ärmel', 'Lamp 9', 'Lamp 9b', 'Lamp 10']);
  expect(order('Lamp 9')).toEqual(['Lamp 9']);
  const later = { ...widget('Lamp 9'), version: 2 };
  expect(orderByName([later])).toEqual([later]);
});

test('orders any lists, one after the other, as a sort does', () => {
  const { compare } = new Intl.Collator('en', { numeric: true });
  const lists = fc.array(fc.uniqueArray(fc.tuple(fc.integer({ min: 0, max: 20 })), { selector: ([id]) => id }));
  fc.assert(
    fc.property(lists, (found) => {
      for (const list of found) {
        const widgets = list.map(([id]) => widget(`Lamp ${(id * 7) % 5}`, String(id)));
        const ordered = orderByName(widgets);
        expect(ordered.map(({ name }) => name)).toEqual(widgets.map(({ name }) => name).sort(compare));
        expect(new Set(ordered)).toEqual(new Set(widgets));
      }
    }),
  );
});
