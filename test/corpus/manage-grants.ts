import {
  answers,
  type CorpusAnswer,
  type CorpusCase,
  json,
  noLength,
  refuses,
  wrongAt,
  wrongParameter,
} from './corpus-case.ts';

const widgetId = '0197a0b0-0000-7000-8000-00000000abcd';
const ids = (count: number) =>
  Array.from({ length: count }, (_, index) => `0197a0b0-0000-7000-8000-${String(index).padStart(12, '0')}`);
const notFound = refuses(404, 'not-found');

type Row = readonly [string, unknown, CorpusAnswer];

/** What every kind has in common, to create and to change. */
const members = (accepted: CorpusAnswer, nameOf: object): Row[] => [
  ['name null', { name: null }, wrongAt('#/name', 'type')],
  ['name a number', { name: 1 }, wrongAt('#/name', 'type')],
  ['name an array', { name: ['a name in an array'] }, wrongAt('#/name', 'type')],
  ['name without a length', { name: noLength }, wrongAt('#/name', 'type')],
  ['name empty', { name: ' ' }, wrongAt('#/name', 'too-short')],
  ['name of 201', { name: 'n'.repeat(201) }, wrongAt('#/name', 'too-long')],
  ['name with NUL', { name: 'a\u0000' }, wrongAt('#/name', 'format')],
  ['end in the past', { ...nameOf, expiresAt: '2020-01-01T00:00:00Z' }, wrongAt('#/expiresAt', 'too-small')],
  ['end a number', { ...nameOf, expiresAt: 4_102_444_800_000 }, wrongAt('#/expiresAt', 'type')],
  ['end a word', { ...nameOf, expiresAt: 'tomorrow' }, wrongAt('#/expiresAt', 'format')],
  ['end without a zone', { ...nameOf, expiresAt: '2999-01-01T00:00:00' }, wrongAt('#/expiresAt', 'format')],
  ['end on 30 February', { ...nameOf, expiresAt: '2999-02-30T00:00:00Z' }, wrongAt('#/expiresAt', 'format')],
  ['a token', { ...nameOf, token: 'wst_mine' }, wrongAt('#/token', 'unknown-field')],
  ['an id', { ...nameOf, id: widgetId }, wrongAt('#/id', 'unknown-field')],
  ['$set', { ...nameOf, $set: {} }, wrongAt('#/%24set', 'unknown-field')],
  ['an array', [], wrongAt('#', 'type')],
  ['end null', { ...nameOf, expiresAt: null }, accepted],
  ['end in the year 9999', { ...nameOf, expiresAt: '9999-12-31T23:59:59.999Z' }, accepted],
];

/** What is a subscription's own. */
const filters = (accepted: CorpusAnswer, nameOf: object): Row[] => [
  ['filter a text', { ...nameOf, filter: 'all' }, wrongAt('#/filter', 'type')],
  ['filter an array', { ...nameOf, filter: [] }, wrongAt('#/filter', 'type')],
  ['filter with an operator', { ...nameOf, filter: { $where: '1' } }, wrongAt('#/filter/%24where', 'unknown-field')],
  ['types empty', { ...nameOf, filter: { types: [] } }, wrongAt('#/filter/types', 'too-short')],
  ['types without a length', { ...nameOf, filter: { types: noLength } }, wrongAt('#/filter/types', 'type')],
  ['types a text', { ...nameOf, filter: { types: 'widget.created' } }, wrongAt('#/filter/types', 'type')],
  ['type unknown', { ...nameOf, filter: { types: ['widget.deleted'] } }, wrongAt('#/filter/types/0', 'enum')],
  ['type null', { ...nameOf, filter: { types: [null] } }, wrongAt('#/filter/types/0', 'type')],
  ['widget id no id', { ...nameOf, filter: { widgetIds: ['x'] } }, wrongAt('#/filter/widgetIds/0', 'format')],
  ['101 widget ids', { ...nameOf, filter: { widgetIds: ids(101) } }, wrongAt('#/filter/widgetIds', 'too-long')],
  ['state unknown', { ...nameOf, filter: { states: ['gone'] } }, wrongAt('#/filter/states/0', 'enum')],
  ['label empty', { ...nameOf, filter: { labels: [''] } }, wrongAt('#/filter/labels/0', 'too-short')],
  ['label of 65', { ...nameOf, filter: { labels: ['l'.repeat(65)] } }, wrongAt('#/filter/labels/0', 'too-long')],
  ['label a number', { ...nameOf, filter: { labels: [1] } }, wrongAt('#/filter/labels/0', 'type')],
  ['100 widget ids', { ...nameOf, filter: { widgetIds: ids(100) } }, accepted],
  ['all members null', { ...nameOf, filter: { types: null, widgetIds: null, states: null, labels: null } }, accepted],
];

/** What is an integration's own. */
const settings = (accepted: CorpusAnswer, nameOf: object): Row[] => [
  ['rate 0', { ...nameOf, rate: 0 }, wrongAt('#/rate', 'too-small')],
  ['rate -1', { ...nameOf, rate: -1 }, wrongAt('#/rate', 'too-small')],
  ['rate 1.5', { ...nameOf, rate: 1.5 }, wrongAt('#/rate', 'type')],
  ['rate a text', { ...nameOf, rate: '10' }, wrongAt('#/rate', 'type')],
  ['rate above a million', { ...nameOf, rate: 1_000_001 }, wrongAt('#/rate', 'too-large')],
  ['rate true', { ...nameOf, rate: true }, wrongAt('#/rate', 'type')],
  ['deduplication a text', { ...nameOf, deduplicateByContent: 'yes' }, wrongAt('#/deduplicateByContent', 'type')],
  ['deduplication 0', { ...nameOf, deduplicateByContent: 0 }, wrongAt('#/deduplicateByContent', 'type')],
  ['rate null', { ...nameOf, rate: null }, accepted],
  ['rate of a million', { ...nameOf, rate: 1_000_000 }, accepted],
];

const rotations: readonly Row[] = [
  ['overlap -1', { overlapSeconds: -1 }, wrongAt('#/overlapSeconds', 'too-small')],
  ['overlap above a day', { overlapSeconds: 86_401 }, wrongAt('#/overlapSeconds', 'too-large')],
  ['overlap 1.5', { overlapSeconds: 1.5 }, wrongAt('#/overlapSeconds', 'type')],
  ['overlap a text', { overlapSeconds: '300' }, wrongAt('#/overlapSeconds', 'type')],
  ['overlap an array', { overlapSeconds: [300] }, wrongAt('#/overlapSeconds', 'type')],
  ['more', { overlap: 1 }, wrongAt('#/overlap', 'unknown-field')],
  ['an array', [], wrongAt('#', 'type')],
  ['overlap null', { overlapSeconds: null }, answers(200)],
  ['nothing chosen', {}, answers(200)],
];

const nameOf = { name: 'x' };
const own = { subscriptions: filters, integrations: settings, 'provision-tokens': () => [] as Row[] };
const signatures: readonly Row[] = [
  ['signature unknown', { ...nameOf, signature: 'hmac' }, wrongAt('#/signature', 'enum')],
  ['signature a number', { ...nameOf, signature: 1 }, wrongAt('#/signature', 'type')],
];

function casesOf(plural: keyof typeof own): CorpusCase[] {
  const url = `/api/v1/${plural}`;
  const one = `${url}/{${plural}Id}`;
  const toCases = (what: string, method: CorpusCase['method'], at: string, rows: readonly Row[]): CorpusCase[] =>
    rows.map(([name, body, expected]) => ({
      name: `${plural}, ${what}: ${name}`,
      method,
      url: at,
      as: 'admin',
      headers: json,
      body: JSON.stringify(body),
      expected,
    }));
  const bare = (name: string, method: CorpusCase['method'], at: string, expected: CorpusAnswer): CorpusCase => ({
    name: `${plural}, ${name}`,
    method,
    url: at,
    as: 'admin',
    expected,
  });
  const isIntegration = plural === 'integrations';
  return [
    ...toCases('create', 'POST', url, [
      ['no name', {}, wrongAt('#/name', 'required')],
      ['null', null, wrongAt('#', 'required')],
      ...members(answers(201), nameOf),
      ...own[plural](answers(201), nameOf),
      ...(isIntegration ? signatures : []),
    ]),
    ...toCases('change', 'PATCH', one, [
      ['nothing', {}, answers(200)],
      ...members(answers(200), {}),
      ...own[plural](answers(200), {}),
      ...(isIntegration
        ? ([['signature', { signature: 'none' }, wrongAt('#/signature', 'unknown-field')]] as const)
        : []),
    ]),
    ...toCases('rotate', 'POST', `${one}/rotate`, rotations),
    bare('rotate without a body', 'POST', `${one}/rotate`, answers(200)),
    {
      ...bare('rotate nothing of a type', 'POST', `${one}/rotate`, answers(200)),
      headers: { 'content-type': 'text/x' },
    },
    { ...bare('change without a body', 'PATCH', one, wrongAt('#', 'required')), headers: json },
    bare('get', 'GET', one, answers(200)),
    bare('get an unknown one', 'GET', `${url}/${widgetId}`, notFound),
    bare('get what is no id', 'GET', `${url}/x`, notFound),
    bare('delete an unknown one', 'DELETE', `${url}/${widgetId}`, notFound),
    bare('delete what is no id', 'DELETE', `${url}/$where`, notFound),
    { ...bare('delete nothing of a type', 'DELETE', `${url}/x`, notFound), headers: { 'content-type': 'nonsense' } },
    bare('list page 0', 'GET', `${url}?page=0`, wrongParameter('page', 'too-small')),
    bare('list 201', 'GET', `${url}?pageSize=201`, wrongParameter('pageSize', 'too-large')),
    bare('list by a state', 'GET', `${url}?state=active`, wrongParameter('state', 'unknown-field')),
    bare('list far behind', 'GET', `${url}?page=2147483647&pageSize=200`, answers(200)),
    bare('list by another method', 'PUT', url, { ...refuses(405, 'method-not-allowed'), allow: 'GET, HEAD, POST' }),
    { ...bare('list as editor', 'GET', url, refuses(403, 'permission-denied')), as: 'editor' },
    {
      ...bare('delete without a CSRF token', 'DELETE', one, refuses(403, 'csrf-token-invalid')),
      headers: { 'x-csrf-token': '' },
    },
  ];
}

/** `/api/v1/subscriptions`, `/api/v1/integrations` and `/api/v1/provision-tokens`. */
export const manageGrants: readonly CorpusCase[] = [
  ...casesOf('subscriptions'),
  ...casesOf('integrations'),
  ...casesOf('provision-tokens'),
];
