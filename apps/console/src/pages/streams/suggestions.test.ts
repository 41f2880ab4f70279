import { expect, test } from 'vitest';
import { countLabels, findUnknownLabels, suggestLabels, suggestWidgets } from './suggestions.ts';

const counts = countLabels([
  { labels: ['cellar', 'critical'] },
  { labels: ['critical'] },
  { labels: ['constructor', 'hall, east'] },
]);

test('suggests labels that contain the text in any case, the most frequent first, without those already chosen', () => {
  expect(suggestLabels(counts, 'C', [])).toEqual([
    { value: 'critical', text: 'critical', detail: '2' },
    { value: 'cellar', text: 'cellar', detail: '1' },
    { value: 'constructor', text: 'constructor', detail: '1' },
  ]);
  expect(suggestLabels(counts, ' c', ['critical', 'cellar']).map(({ value }) => value)).toEqual(['constructor']);
});

test('suggests at most eight widgets, by a part of the name or the beginning of the id', () => {
  const widgets = Array.from({ length: 20 }, (_, index) => ({ id: `${index}-0000-abcdef`, name: `Lamp ${index}` }));
  expect(suggestWidgets(widgets, 'lamp', [])).toHaveLength(8);
  expect(suggestWidgets(widgets, 'LAMP 19', [])).toEqual([
    { value: '19-0000-abcdef', text: 'Lamp 19', detail: '…abcdef' },
  ]);
  expect(suggestWidgets(widgets, '7-0', []).map(({ text }) => text)).toEqual(['Lamp 7']);
  expect(suggestWidgets(widgets, '7-0', ['7-0000-abcdef'])).toEqual([]);
});

test('finds labels that no widget has, and one that differs only in its case', () => {
  expect(findUnknownLabels(counts, ['cellar', 'Critical', 'attic'])).toEqual([
    { label: 'Critical', similar: 'critical' },
    { label: 'attic', similar: null },
  ]);
});
