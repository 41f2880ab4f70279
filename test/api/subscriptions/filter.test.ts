import { noFilter } from '@widget-service/shared/domain/event-filter.ts';
import { describe, expect, test } from 'vitest';
import { openSharedApp } from '../../drivers/app/open-shared.ts';

const service = await openSharedApp();
const admin = await service.signedIn('admin');

const path = '/api/v1/subscriptions';
const create = (filter: unknown) => admin.post(path, { name: 'screen', filter });
const update = (id: string, filter: unknown) => admin.patch(`${path}/${id}`, { filter });

const ids = (count: number) =>
  Array.from({ length: count }, (_, n) => `0197a0b0-0000-7000-8000-${String(n).padStart(12, '0')}`);
const labels = (count: number) => Array.from({ length: count }, (_, n) => `label ${n}`);

describe.each([
  ['POST', create],
  [
    'PATCH',
    async (filter: unknown) => {
      const { id } = (await create({ types: ['widget.created'], labels: ['before'] })).json();
      return update(id, filter);
    },
  ],
])('%s /api/v1/subscriptions: filter', (_, send) => {
  test.each<[string, object | null, object]>([
    ['null', null, noFilter],
    ['an empty object', {}, noFilter],
    ['null members', noFilter, noFilter],
    ['one member', { states: ['active'] }, { ...noFilter, states: ['active'] }],
    [
      'every type and state',
      { types: ['widget.retired', 'widget.created', 'widget.updated'], states: ['retired', 'active'] },
      { ...noFilter, types: ['widget.retired', 'widget.created', 'widget.updated'], states: ['retired', 'active'] },
    ],
    [
      'ids of any version and case',
      { widgetIds: ['0197A0B0-0000-7000-8000-00000000ABCD', '00000000-0000-0000-0000-000000000001'] },
      { ...noFilter, widgetIds: ['0197a0b0-0000-7000-8000-00000000abcd', '00000000-0000-0000-0000-000000000001'] },
    ],
    [
      'labels to trim',
      { labels: [' hall ', '$where', '💡'.repeat(64)] },
      { ...noFilter, labels: ['hall', '$where', '💡'.repeat(64)] },
    ],
    [
      'duplicates, which are dropped',
      { labels: ['b', 'a', ' b'], widgetIds: [...ids(2), ...ids(1)], types: ['widget.created', 'widget.created'] },
      { ...noFilter, labels: ['b', 'a'], widgetIds: ids(2), types: ['widget.created'] },
    ],
    [
      '100 widget ids and 100 labels',
      { widgetIds: ids(100), labels: labels(100) },
      { ...noFilter, widgetIds: ids(100), labels: labels(100) },
    ],
    [
      '200 labels of which 100 are distinct',
      { labels: [...labels(100), ...labels(100)] },
      { ...noFilter, labels: labels(100) },
    ],
  ])('accepts %s', async (_, filter, expected) => {
    const response = await send(filter);
    expect([200, 201]).toContain(response.statusCode);
    expect(response.json().filter).toEqual(expected);
    expect((await service.backend.subscriptions.get(response.json().id))?.filter).toEqual(expected);
  });
});

test('PATCH /api/v1/subscriptions/{id}: replaces the whole filter, or keeps it when none is given', async () => {
  const { id } = (await create({ types: ['widget.created'], labels: ['hall'] })).json();
  expect((await update(id, { states: ['active'] })).json().filter).toEqual({ ...noFilter, states: ['active'] });
  const renamed = await admin.patch(`${path}/${id}`, { name: 'other' });
  expect(renamed.json().filter).toEqual({ ...noFilter, states: ['active'] });
});
