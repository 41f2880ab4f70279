import { noFilter } from '@widget-service/shared/domain/event-filter.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { expectProblem } from '../../drivers/app/expect-problem.ts';
import { openTestApp, type TestApp, type TestCaller } from '../../drivers/app/test-app.ts';

let service: TestApp;
let admin: TestCaller;
beforeAll(async () => {
  service = await openTestApp();
  admin = await service.signedIn('admin');
});
afterAll(() => service.close());

const path = '/api/v1/subscriptions';
const create = (filter: unknown) =>
  service.inject({ method: 'POST', url: path, headers: admin.headers, payload: { name: 'screen', filter } });
const update = (id: string, filter: unknown) =>
  service.inject({ method: 'PATCH', url: `${path}/${id}`, headers: admin.headers, payload: { filter } });

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

  test.each<[string, unknown, string, string]>([
    ['an array', [], '#/filter', 'type'],
    ['a string', 'all', '#/filter', 'type'],
    ['an unknown member', { kinds: ['created'] }, '#/filter/kinds', 'unknown-field'],
    ['a string as types', { types: 'widget.created' }, '#/filter/types', 'type'],
    ['empty types', { types: [] }, '#/filter/types', 'too-short'],
    ['empty widgetIds', { widgetIds: [] }, '#/filter/widgetIds', 'too-short'],
    ['empty states', { states: [] }, '#/filter/states', 'too-short'],
    ['empty labels', { labels: [] }, '#/filter/labels', 'too-short'],
    ['an unknown type', { types: ['created'] }, '#/filter/types/0', 'enum'],
    ['an unknown state', { states: ['active', 'gone'] }, '#/filter/states/1', 'enum'],
    ['a malformed widget id', { widgetIds: [...ids(1), 'x'] }, '#/filter/widgetIds/1', 'format'],
    ['a number as widget id', { widgetIds: [1] }, '#/filter/widgetIds/0', 'type'],
    ['a blank label', { labels: ['a', ' '] }, '#/filter/labels/1', 'too-short'],
    ['a label of 65 characters', { labels: ['a'.repeat(65)] }, '#/filter/labels/0', 'too-long'],
    ['a control character in a label', { labels: ['a\u0000b'] }, '#/filter/labels/0', 'format'],
    ['101 labels', { labels: labels(101) }, '#/filter/labels', 'too-long'],
    ['101 widget ids', { widgetIds: ids(101) }, '#/filter/widgetIds', 'too-long'],
  ])('returns 400 invalid-request for %s', async (_, filter, pointer, code) => {
    expectProblem(await send(filter), { status: 400, code: 'invalid-request', errors: [{ pointer, code }] });
  });
});

test('PATCH /api/v1/subscriptions/{id}: replaces the whole filter, or keeps it when none is given', async () => {
  const { id } = (await create({ types: ['widget.created'], labels: ['hall'] })).json();
  expect((await update(id, { states: ['active'] })).json().filter).toEqual({ ...noFilter, states: ['active'] });
  const renamed = await service.inject({
    method: 'PATCH',
    url: `${path}/${id}`,
    headers: admin.headers,
    payload: { name: 'other' },
  });
  expect(renamed.json().filter).toEqual({ ...noFilter, states: ['active'] });
});
