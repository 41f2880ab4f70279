import { type CorpusCase, type ExpectedResponse, invalidParameter, rejects, returns } from './corpus-case.ts';

const ok = returns(200);

/** By parameter: malformed values, separated by spaces. */
const malformed = {
  page: '-1 -0 1.5 1.0 1e9 0x1 01 %2B1 +1 1%20 1%0A 1%00 %EF%BC%91 %D9%A1 1,000 NaN Infinity null true %zz %ff 99999999999999999999',
  pageSize: '-1',
  asOf: 'now 2026-01-01 2026-01-01T00:00:00%2B01:00 2026-01-01T00:00:00+00:00 %2B02026-01-01T00:00:00Z 1767225600000',
};
const unknown = 'page[] page[$gt] page[0] page.x state[$ne] Page __proto__ __proto__[page] constructor %zz';
const toQueries = (values: string, parameter: string, code: 'format' | 'enum') =>
  values.split(' ').map((value) => [`${parameter}=${value}`, invalidParameter(parameter, code)] as const);

const queries: readonly (readonly [string, ExpectedResponse])[] = [
  ...Object.entries(malformed).flatMap(([parameter, values]) => toQueries(values, parameter, 'format')),
  ...unknown.split(' ').map((name) => [`${name}=1`, invalidParameter(name, 'unknown-field')] as const),
  ...toQueries(' Active active%00 active,retired __proto__', 'state', 'enum'),
  ['page', invalidParameter('page', 'format')],
  ['page=9007199254740993', invalidParameter('page', 'too-large')],
  [`page=${'9'.repeat(4_000)}`, invalidParameter('page', 'format')],
  ['page=1&p%61ge=2', invalidParameter('page', 'repeated')],
  ['pageSize=201', invalidParameter('pageSize', 'too-large')],
  ['pageSize=50&pageSize=50', invalidParameter('pageSize', 'repeated')],
  ['asOf=', invalidParameter('asOf', 'format')],
  [`asOf=2026-01-01T00:00:00.${'0'.repeat(3_000)}Z`, invalidParameter('asOf', 'format')],
  ['=1', invalidParameter('', 'unknown-field')],
  [`${'n'.repeat(500)}=1`, invalidParameter('n'.repeat(100), 'unknown-field')],
  [`${'a=1&'.repeat(1_500)}page=1`, invalidParameter('a', 'unknown-field')],
  [`page=1&${'x'.repeat(8_192)}=1`, rejects(400, 'uri-too-long')],
  ['', ok],
  ['&', ok],
  ['page=1', ok],
  ['p%61ge=%31', ok],
  ['page=2147483647&pageSize=200', ok],
  ['pageSize=1', ok],
  ['page=1#page=0', ok],
  ['state=retired', ok],
  ['asOf=1970-01-01T00:00:00Z', ok],
  ['asOf=9999-12-31T23:59:59.999999999z', ok],
  ['asOf=2024-02-29t00:00:00%2B00:00', ok],
  ['asOf=0000-01-01T00:00:00Z', ok],
];

const unknownIds =
  '%7BwidgetId%7D 0197a0b0-0000-7000-8000-000000000000 00000000-0000-0000-0000-000000000000 {widgetId}%00 {widgetId}%20 {widgetId}%2F {widgetId}.json {widgetId};a=b {widgetId}/ {widgetId}/events x - [object%20Object] __proto__ $where ..%2f..%2fetc%2fpasswd %2e%2e %F0%9F%A6%84';
const ids: readonly (readonly [string, ExpectedResponse])[] = [
  ...unknownIds.split(' ').map((id) => [id, rejects(404, 'not-found')] as const),
  ['{widgetId}', ok],
  ['{widgetIdInCapitals}', ok],
  ["'%20OR%20'1'='1", rejects(404, 'not-found')],
  ['a'.repeat(8_000), rejects(404, 'not-found')],
  ['a'.repeat(9_000), rejects(400, 'uri-too-long')],
  ['%', rejects(400, 'malformed-request')],
  ['%zz', rejects(400, 'malformed-request')],
  ['%ff', rejects(400, 'malformed-request')],
  ['%c0%af', rejects(400, 'malformed-request')],
  ['%ed%a0%80', rejects(400, 'malformed-request')],
];

/** `GET /api/v1/widgets`. */
export const listWidgets: readonly CorpusCase[] = queries.map(([query, expected]) => ({
  name: query.length > 100 ? `${query.slice(0, 40)}… (${query.length} characters)` : `?${query}`,
  method: 'GET',
  url: `/api/v1/widgets?${query}`,
  caller: 'viewer',
  expected,
}));

/** `GET /api/v1/widgets/{id}`. */
export const getWidget: readonly CorpusCase[] = ids.map(([id, expected]) => ({
  name: id.length > 100 ? `an id of ${id.length} characters` : id,
  method: 'GET',
  url: `/api/v1/widgets/${id}`,
  caller: 'viewer',
  expected,
}));
