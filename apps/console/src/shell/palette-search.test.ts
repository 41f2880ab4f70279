import type { LiveWidget } from '@widget-service/client/live/live-widget.ts';
import { expect, test } from 'vitest';
import { findGroups, type PaletteEntry } from './palette-search.ts';

const entry = (name: string, target = `/${name}`): PaletteEntry => ({ id: '', name, labels: [], target });
const widgets = Array.from(
  { length: 30 },
  (_, index) => ({ id: `019${index}`, name: `Hook lamp ${index}`, labels: ['Cold store'] }) as unknown as LiveWidget,
);
const sources = {
  widgets,
  entries: {
    recent: [entry('Hook lamp 3', '/widgets/0193')],
    pages: [entry('Hooks')],
    actions: [entry('Create widget')],
    users: [{ ...entry('Ines'), labels: ['ines@example.com'] }],
  },
  findHook: (id: string) => entry(`Find hook ${id}`, `/hooks?hook=${id}`),
};
const find = (text: string) => findGroups(text, sources);
const kinds = (text: string) => find(text).map(({ kind }) => kind);

test('offers recent things, pages and actions without a text', () => {
  expect(kinds('  ')).toEqual(['recent', 'pages', 'actions']);
});

test('finds every word, in any case, and says how many widgets match', () => {
  const groups = find('HOOK');
  expect(groups.map(({ kind }) => kind)).toEqual(['recent', 'pages', 'widgets']);
  // The recent one is not offered again.
  expect(groups[2]).toMatchObject({ total: 30, entries: { length: 8 } });
  expect(groups[2]?.entries.map(({ name }) => name)).not.toContain('Hook lamp 3');
  expect(find('lamp 29')[0]?.entries.map(({ name }) => name)).toEqual(['Hook lamp 29']);
  expect(find('nothing like it')).toEqual([]);
});

test('finds widgets by label and id, and users by e-mail', () => {
  expect(find('label:cold')[0]).toMatchObject({ kind: 'widgets', total: 30 });
  expect(find('0197')[0]).toMatchObject({ kind: 'widgets', entries: [{ target: '/widgets/0197' }] });
  expect(kinds('ines@')).toEqual(['users']);
});

test('offers to find a hook by its event id or webhook-id', () => {
  for (const id of ['b9dce296-9105-8818-a22e-aee490c1c421', 'msg_partner_4711', 'msg_partner']) {
    expect(find(id)).toMatchObject([{ kind: 'hooks', entries: [{ target: `/hooks?hook=${id}` }] }]);
    expect(findGroups(id, { ...sources, findHook: null })).toEqual([]);
  }
  for (const text of ['lamp', 'temperature', 'msg partner 4711', 'label:cold4711']) {
    expect(kinds(text)).not.toContain('hooks');
  }
});
