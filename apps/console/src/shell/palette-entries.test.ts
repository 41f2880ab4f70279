import type { LiveWidget } from '@widget-service/client/live/live-widget.ts';
import { expect, test } from 'vitest';
import { findEntries, type PaletteEntry } from './palette-entries.ts';

const page: PaletteEntry = { key: '/hooks', kind: 'page', label: 'Hooks', choose: () => undefined };
const action: PaletteEntry = { key: 'create', kind: 'action', label: 'Create a widget', choose: () => undefined };
const widgets = Array.from(
  { length: 30 },
  (_, index) => ({ id: `id-${index}`, name: `Hook lamp ${index}` }) as LiveWidget,
);
const find = (text: string, open: (id: string) => void = () => undefined) =>
  findEntries(text, [page, action], widgets, open);

test('without a text, it offers pages and actions', () => {
  expect(find('  ')).toEqual([page, action]);
});

test('finds every word, in any case, with pages first and at most eight widgets', () => {
  const found = find('HOOK');
  expect(found[0]).toBe(page);
  expect(found.filter(({ kind }) => kind === 'widget')).toHaveLength(8);
  expect(find('lamp 29').map(({ label }) => label)).toEqual(['Hook lamp 29']);
  expect(find('nothing like it')).toEqual([]);
});

test('opens the widget that was chosen, also by its id', () => {
  const opened: string[] = [];
  find('id-7', (id) => opened.push(id))[0]?.choose();
  expect(opened).toEqual(['id-7']);
});
