import type { LiveWidget } from '@widget-service/client/live/live-widget.ts';
import { expect, test } from 'vitest';
import { filterWidgets, selectWidgets, type WidgetOrder } from './shown-widgets.ts';

const at = '2026-11-25T08:00:00.000Z';
const widget = (id: string, name: string, state: 'active' | 'retired', labels: string[]): LiveWidget => ({
  id,
  name,
  state,
  labels,
  owner: null,
  createdAt: at,
  updatedAt: at,
  retiredAt: null,
  lastEventAt: null,
  version: 1,
});
const lamp = widget('01', 'Lamp', 'active', ['hall']);
const bell = widget('02', 'Bell', 'retired', ['hall', 'door']);
const search = (text: string, state: 'active' | 'retired' | null = null) =>
  filterWidgets([lamp, bell], { text, state });

test('finds every word in the name, the labels or the id, in any case', () => {
  expect(search('HALL')).toEqual([lamp, bell]);
  expect(search('hall bel')).toEqual([bell]);
  expect(search('02')).toEqual([bell]);
  expect(search('hall lamp door')).toEqual([]);
});

test('finds by state', () => {
  expect(search('', 'active')).toEqual([lamp]);
  expect(search('door', 'active')).toEqual([]);
});

test('returns the same array if nothing is searched', () => {
  const all = [lamp, bell];
  expect(filterWidgets(all, { text: '  ', state: null })).toBe(all);
});

test('orders by name, with numbers by their value, and by the last update', () => {
  const named = ['Lamp 10', 'bell', 'Lamp 9'].map((name, index) => ({
    ...widget(String(index), name, 'active', []),
    updatedAt: `2026-11-25T08:00:0${index}.000Z`,
  }));
  const order = (order: WidgetOrder) => selectWidgets(named, { text: '', state: null, order }).map(({ name }) => name);
  expect(order('newest')).toEqual(['Lamp 10', 'bell', 'Lamp 9']);
  expect(order('name')).toEqual(['bell', 'Lamp 9', 'Lamp 10']);
  expect(order('updated')).toEqual(['Lamp 9', 'bell', 'Lamp 10']);
  expect(selectWidgets(named, { text: '', state: null, order: 'newest' })).toBe(named);
});
