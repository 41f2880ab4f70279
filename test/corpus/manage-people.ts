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

const password = 'correct horse battery';
const user = { email: 'new@example.com', password };
const notFound = refuses(404, 'not-found');

type Row = readonly [string, unknown, CorpusAnswer];

/** A good one hashes a password: there are few of them. */
const newUsers: readonly Row[] = [
  ['nothing', {}, wrongAt('#/email', 'required')],
  ['no password', { email: user.email }, wrongAt('#/password', 'required')],
  ['e-mail null', { ...user, email: null }, wrongAt('#/email', 'type')],
  ['e-mail an operator', { ...user, email: { $gt: '' } }, wrongAt('#/email', 'type')],
  ['e-mail empty', { ...user, email: '' }, wrongAt('#/email', 'format')],
  ['e-mail of 255', { ...user, email: `${'a'.repeat(243)}@example.com` }, wrongAt('#/email', 'too-long')],
  ['e-mail with NUL', { ...user, email: 'a\u0000@example.com' }, wrongAt('#/email', 'format')],
  ['password of 11', { ...user, password: 'p'.repeat(11) }, wrongAt('#/password', 'too-short')],
  ['password of 11 emoji', { ...user, password: '🦄'.repeat(11) }, wrongAt('#/password', 'too-short')],
  ['password of 129', { ...user, password: 'p'.repeat(129) }, wrongAt('#/password', 'too-long')],
  ['password of 60 000', { ...user, password: 'p'.repeat(60_000) }, wrongAt('#/password', 'too-long')],
  ['password without a length', { ...user, password: noLength }, wrongAt('#/password', 'type')],
  ['password a number', { ...user, password: 123_456_789_012 }, wrongAt('#/password', 'type')],
  ['role unknown', { ...user, role: 'root' }, wrongAt('#/role', 'enum')],
  ['role a number', { ...user, role: 1 }, wrongAt('#/role', 'type')],
  ['role an array', { ...user, role: ['admin'] }, wrongAt('#/role', 'type')],
  ['disabled', { ...user, disabled: true }, wrongAt('#/disabled', 'unknown-field')],
  ['a hash', { ...user, passwordHash: 'x' }, wrongAt('#/passwordHash', 'unknown-field')],
  ['an array', [user], wrongAt('#', 'type')],
  ['a taken e-mail', { ...user, email: '{viewerEmail}' }, refuses(409, 'email-in-use')],
  ['a taken e-mail in capitals', { ...user, email: '{viewerEmailInCapitals}' }, refuses(409, 'email-in-use')],
  ['password of 128 emoji', { email: 'emoji@example.com', password: '🦄'.repeat(128) }, answers(201)],
  ['role null', { email: 'null@example.com', password, role: null }, answers(201)],
];

const changes: readonly Row[] = [
  ['role unknown', { role: 'root' }, wrongAt('#/role', 'enum')],
  ['disabled a text', { disabled: 'false' }, wrongAt('#/disabled', 'type')],
  ['disabled 1', { disabled: 1 }, wrongAt('#/disabled', 'type')],
  ['password short', { password: 'short' }, wrongAt('#/password', 'too-short')],
  ['an e-mail', { email: 'other@example.com' }, wrongAt('#/email', 'unknown-field')],
  ['an id', { id: 'x' }, wrongAt('#/id', 'unknown-field')],
  ['null', null, wrongAt('#', 'required')],
  ['nothing', {}, answers(200)],
  ['all null', { role: null, disabled: null, password: null }, answers(200)],
];

const passwords: readonly Row[] = [
  ['nothing', {}, wrongAt('#/currentPassword', 'required')],
  ['no new one', { currentPassword: password }, wrongAt('#/newPassword', 'required')],
  ['new one short', { currentPassword: password, newPassword: 'short' }, wrongAt('#/newPassword', 'too-short')],
  ['new one null', { currentPassword: password, newPassword: null }, wrongAt('#/newPassword', 'type')],
  ['current one a number', { currentPassword: 1, newPassword: password }, wrongAt('#/currentPassword', 'type')],
  ['more', { currentPassword: 'x', newPassword: password, email: 'x' }, wrongAt('#/email', 'unknown-field')],
  ['current one wrong', { currentPassword: 'x', newPassword: password }, refuses(403, 'invalid-credentials')],
];

const toCases = (what: string, method: CorpusCase['method'], url: string, rows: readonly Row[]): CorpusCase[] =>
  rows.map(([name, body, expected]) => ({
    name: `${what}: ${name}`,
    method,
    url,
    as: 'admin',
    headers: json,
    body: JSON.stringify(body),
    expected,
  }));

const bare = (method: CorpusCase['method'], url: string, expected: CorpusAnswer): CorpusCase => ({
  name: `${method} ${url}`,
  method,
  url,
  as: 'admin',
  expected,
});

/** `/api/v1/users`, and what users do to their own sessions and passwords. */
export const managePeople: readonly CorpusCase[] = [
  ...toCases('create', 'POST', '/api/v1/users', newUsers),
  ...toCases('change', 'PATCH', '/api/v1/users/{viewerId}', changes),
  ...toCases('password', 'PUT', '/api/v1/session/password', passwords),
  bare('GET', '/api/v1/users/{viewerId}', answers(200)),
  bare('GET', '/api/v1/users/x', notFound),
  bare('GET', '/api/v1/users/00000000-0000-0000-0000-000000000000', notFound),
  bare('GET', '/api/v1/users?page=0', wrongParameter('page', 'too-small')),
  bare('GET', '/api/v1/users?email=x', wrongParameter('email', 'unknown-field')),
  bare('GET', '/api/v1/users?role=admin', wrongParameter('role', 'unknown-field')),
  bare('DELETE', '/api/v1/users/{viewerId}', { ...refuses(405, 'method-not-allowed'), allow: 'GET, HEAD, PATCH' }),
  bare('POST', '/api/v1/session/stream', answers(201)),
  { ...bare('GET', '/api/v1/users', refuses(403, 'permission-denied')), name: 'list as viewer', as: 'viewer' },
  {
    ...bare('DELETE', '/api/v1/sessions', refuses(403, 'csrf-token-invalid')),
    name: 'sign out everywhere without a CSRF token',
    headers: { 'x-csrf-token': '' },
  },
  {
    ...bare('PATCH', '/api/v1/users/00000000-0000-0000-0000-000000000000', notFound),
    name: 'change an unknown user',
    headers: json,
    body: '{"role":"viewer"}',
  },
];
