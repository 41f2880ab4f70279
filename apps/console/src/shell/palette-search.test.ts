import { expect, test } from 'vitest';
import type { Schemas } from '../service/service.ts';
import { findGroups, type PaletteEntry } from './palette-search.ts';

const entry = (name: string): PaletteEntry => ({ id: '', name, labels: [], to: `/${name}` });
const widgets = Array.from(
  { length: 30 },
  (_, index) =>
    ({ id: `019${index}`, name: `Hook lamp ${index}`, labels: ['Cold store'] }) as unknown as Schemas['Widget'],
);
const sources = {
  widgets,
  entries: {
    pages: [entry('Hooks')],
    actions: [entry('Create widget')],
    users: [{ ...entry('Ines'), labels: ['ines@example.com'] }],
  },
  canFindHooks: true,
};
const find = (text: string) => findGroups(text, sources);
const titles = (text: string) => find(text).map(({ title }) => title);

test('offers pages and actions without a text', () => {
  expect(titles('  ')).toEqual(['Pages', 'Actions']);
});

test('finds every word, in any case, and leads to all widgets that match', () => {
  expect(titles('HOOK')).toEqual(['Pages', 'Widgets']);
  const found = find('HOOK')[1]?.entries ?? [];
  expect(found).toHaveLength(9);
  expect(found.at(-1)).toMatchObject({ name: 'Show all in Widgets', to: '/widgets?search=HOOK' });
  expect(find('lamp 29')[0]?.entries.map(({ name }) => name)).toEqual(['Hook lamp 29']);
  expect(find('nothing like it')).toEqual([]);
});

test('lists widgets, which come later than the rest, below it', () => {
  expect(titles('e')).toEqual(['Actions', 'Users', 'Widgets']);
});

test('finds widgets by label and id, and users by e-mail', () => {
  expect(find('label:cold')[0]).toMatchObject({ title: 'Widgets', entries: { length: 9 } });
  expect(find('0197')[0]).toMatchObject({ title: 'Widgets', entries: [{ to: '/widgets/0197' }] });
  expect(titles('ines@')).toEqual(['Users']);
});

test('offers to find a hook by its event id or webhook-id', () => {
  for (const id of ['b9dce296-9105-8818-a22e-aee490c1c421', 'msg_partner_4711', 'msg_partner']) {
    expect(find(id)).toMatchObject([{ title: 'Hooks', entries: [{ to: `/hooks?hook=${id}` }] }]);
    expect(findGroups(id, { ...sources, canFindHooks: false })).toEqual([]);
  }
  for (const text of ['lamp', 'temperature', 'msg partner 4711', 'label:cold4711']) {
    expect(titles(text)).not.toContain('Hooks');
  }
});
