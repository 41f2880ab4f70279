import {
  type CorpusCase,
  type ExpectedResponse,
  invalidAt,
  invalidParameter,
  json,
  rejects,
  returns,
} from './corpus-case.ts';

const widgetId = '0197a0b0-0000-7000-8000-00000000abcd';
const ids = (count: number) =>
  Array.from({ length: count }, (_, index) => `0197a0b0-0000-7000-8000-${String(index).padStart(12, '0')}`);
const notFound = rejects(404, 'not-found');

type Method = CorpusCase['method'];
type Row = readonly [string, unknown, ExpectedResponse];

/** Bodies that every kind of grant rejects or accepts, on create and on update. */
const listMemberRows = (accepted: ExpectedResponse, base: object): Row[] => [
  ['name: 201 characters', { name: 'n'.repeat(201) }, invalidAt('#/name', 'too-long')],
  ['expiresAt: in the past', { ...base, expiresAt: '2020-01-01T00:00:00Z' }, invalidAt('#/expiresAt', 'too-small')],
  ['expiresAt: +01:00', { ...base, expiresAt: '2999-01-01T00:00:00+01:00' }, invalidAt('#/expiresAt', 'format')],
  ['body: null', null, invalidAt('#', 'required')],
  ['expiresAt: null', { ...base, expiresAt: null }, accepted],
  ['expiresAt: in the year 9999', { ...base, expiresAt: '9999-12-31T23:59:59.999Z' }, accepted],
];

/** Bodies with the members that only a subscription has. */
const listFilterRows = (accepted: ExpectedResponse, base: object): Row[] => [
  [
    'widget id: the second malformed',
    { ...base, filter: { widgetIds: [...ids(1), 'x'] } },
    invalidAt('#/filter/widgetIds/1', 'format'),
  ],
  ['widget id: 101 of them', { ...base, filter: { widgetIds: ids(101) } }, invalidAt('#/filter/widgetIds', 'too-long')],
  [
    'state: the second unknown',
    { ...base, filter: { states: ['active', 'gone'] } },
    invalidAt('#/filter/states/1', 'enum'),
  ],
  [
    'label: the second white space only',
    { ...base, filter: { labels: ['a', ' '] } },
    invalidAt('#/filter/labels/1', 'too-short'),
  ],
  ['label: 101 of them', { ...base, filter: { labels: ids(101) } }, invalidAt('#/filter/labels', 'too-long')],
  [
    'label: 65 characters',
    { ...base, filter: { labels: ['l'.repeat(65)] } },
    invalidAt('#/filter/labels/0', 'too-long'),
  ],
  ['widget id: 100 of them', { ...base, filter: { widgetIds: ids(100) } }, accepted],
  ['filter: null members', { ...base, filter: { types: null, widgetIds: null, states: null, labels: null } }, accepted],
];

/** Bodies with the members that only an integration has. */
const listSettingRows = (accepted: ExpectedResponse, base: object): Row[] => [
  ['rate: 0', { ...base, rate: 0 }, invalidAt('#/rate', 'too-small')],
  ['rate: more than 1 000 000', { ...base, rate: 1_000_001 }, invalidAt('#/rate', 'too-large')],
  ['rate: null', { ...base, rate: null }, accepted],
  ['rate: 1 000 000', { ...base, rate: 1_000_000 }, accepted],
];

const rotations: readonly Row[] = [
  ['overlap: more than a day', { overlapSeconds: 86_401 }, invalidAt('#/overlapSeconds', 'too-large')],
  ['overlap: null', { overlapSeconds: null }, returns(200)],
  ['body: an empty object', {}, returns(200)],
];

const base = { name: 'x' };
const listOwnRows = {
  subscriptions: listFilterRows,
  integrations: listSettingRows,
  'provision-tokens': () => [] as Row[],
};
const noSignature: Row = ['signature', { signature: 'none' }, invalidAt('#/signature', 'unknown-field')];

function listCases(plural: keyof typeof listOwnRows): CorpusCase[] {
  const url = `/api/v1/${plural}`;
  const itemUrl = `${url}/{${plural}Id}`;
  const toCase = (name: string, method: Method, path: string, expected: ExpectedResponse): CorpusCase => ({
    name: `${plural}, ${name}`,
    method,
    url: path,
    caller: 'admin',
    expected,
  });
  const toCases = (action: string, method: Method, path: string, rows: readonly Row[]): CorpusCase[] =>
    rows.map(([name, body, expected]) => ({
      ...toCase(`${action}, ${name}`, method, path, expected),
      headers: json,
      body: JSON.stringify(body),
    }));
  const isIntegration = plural === 'integrations';
  return [
    ...toCases('create', 'POST', url, [
      ...listMemberRows(returns(201), base),
      ...listOwnRows[plural](returns(201), base),
    ]),
    ...toCases('update', 'PATCH', itemUrl, [
      ['body: an empty object', {}, returns(200)],
      ...listMemberRows(returns(200), {}),
      ...listOwnRows[plural](returns(200), {}),
      // Only a rotation can change it.
      noSignature,
    ]),
    ...toCases('rotate', 'POST', `${itemUrl}/rotate`, [...rotations, ...(isIntegration ? [] : [noSignature])]),
    toCase('rotate without a body', 'POST', `${itemUrl}/rotate`, returns(200)),
    {
      ...toCase('rotate without a body, with the type text/x', 'POST', `${itemUrl}/rotate`, returns(200)),
      headers: { 'content-type': 'text/x' },
    },
    { ...toCase('update without a body', 'PATCH', itemUrl, invalidAt('#', 'required')), headers: json },
    toCase('create without a body', 'POST', url, invalidAt('#', 'required')),
    toCase('get', 'GET', itemUrl, returns(200)),
    ...[widgetId, 'x', '$where', '%00', '__proto__', 'a'.repeat(500)].flatMap((id) => [
      toCase(`get the id ${id}`, 'GET', `${url}/${id}`, notFound),
      toCase(`delete the id ${id}`, 'DELETE', `${url}/${id}`, notFound),
      toCase(`rotate the id ${id}`, 'POST', `${url}/${id}/rotate`, notFound),
      ...toCases(`update the id ${id}`, 'PATCH', `${url}/${id}`, [
        ['body: an empty object', {}, notFound],
        ['name', { name: 'other' }, notFound],
      ]),
    ]),
    {
      ...toCase('delete a malformed id with a malformed content type', 'DELETE', `${url}/x`, notFound),
      headers: { 'content-type': 'nonsense' },
    },
    toCase(
      'list with a name that is too long',
      'GET',
      `${url}?name=${'n'.repeat(201)}`,
      invalidParameter('name', 'too-long'),
    ),
    toCase('list past the end', 'GET', `${url}?page=2147483647&pageSize=200`, returns(200)),
    toCase('PUT to the list', 'PUT', url, { ...rejects(405, 'method-not-allowed'), allow: 'GET, HEAD, POST' }),
    { ...toCase('list as an editor', 'GET', url, rejects(403, 'permission-denied')), caller: 'editor' },
    {
      ...toCase('delete without a CSRF token', 'DELETE', itemUrl, rejects(403, 'csrf-token-invalid')),
      headers: { 'x-csrf-token': '' },
    },
  ];
}

/** `/api/v1/subscriptions`, `/api/v1/integrations` and `/api/v1/provision-tokens`. */
export const manageGrants: readonly CorpusCase[] = [
  ...listCases('subscriptions'),
  ...listCases('integrations'),
  ...listCases('provision-tokens'),
];
