import {
  type CorpusCase,
  type ExpectedResponse,
  invalidAt,
  invalidAtEach,
  invalidParameter,
  json,
  rejects,
  returns,
} from './corpus-case.ts';

const password = 'correct horse battery';
const user = { email: 'new@example.com', password };
const notFound = rejects(404, 'not-found');

type Row = readonly [string, unknown, ExpectedResponse];

/** Only a few are valid, because the service hashes a password for each valid one. */
const createRows: readonly Row[] = [
  ['e-mail: empty', { ...user, email: '' }, invalidAt('#/email', 'format')],
  ['e-mail: 255 characters', { ...user, email: `${'a'.repeat(243)}@example.com` }, invalidAt('#/email', 'too-long')],
  ['e-mail: with a space', { ...user, email: 'a b@example.com' }, invalidAt('#/email', 'format')],
  ['e-mail: with NUL', { ...user, email: 'a\u0000@example.com' }, invalidAt('#/email', 'format')],
  ['password: 11 characters', { ...user, password: 'p'.repeat(11) }, invalidAt('#/password', 'too-short')],
  ['password: 11 emoji', { ...user, password: '🦄'.repeat(11) }, invalidAt('#/password', 'too-short')],
  ['password: 129 characters', { ...user, password: 'p'.repeat(129) }, invalidAt('#/password', 'too-long')],
  ['password: a line end', { ...user, password: `${password}\n` }, invalidAt('#/password', 'format')],
  ['password: a blank at its end', { ...user, password: `${password} ` }, invalidAt('#/password', 'format')],
  ['password: a tab in it', { ...user, password: 'correct\thorse battery' }, invalidAt('#/password', 'format')],
  ['name: 201 emoji', { ...user, name: '🦄'.repeat(201) }, invalidAt('#/name', 'too-long')],
  ['an unknown field: disabled', { ...user, disabled: true }, invalidAt('#/disabled', 'unknown-field')],
  ['an unknown field: passwordHash', { ...user, passwordHash: 'x' }, invalidAt('#/passwordHash', 'unknown-field')],
  ['e-mail: in use', { ...user, email: '{viewerEmail}' }, rejects(409, 'email-in-use')],
  ['e-mail: in use, in upper case', { ...user, email: '{viewerEmailInCapitals}' }, rejects(409, 'email-in-use')],
  ['password: 128 emoji', { email: 'emoji@example.com', password: '🦄🐟🐝🐘🦊🐙🦉🐢'.repeat(16) }, returns(201)],
  ['password: one letter', { ...user, password: 'p'.repeat(128) }, rejects(400, 'weak-password')],
  ['role: null', { email: 'null@example.com', password, role: null }, returns(201)],
];

const updateRows: readonly Row[] = [
  ['password: too short', { password: 'short' }, invalidAt('#/password', 'too-short')],
  ['an unknown field: email', { email: 'other@example.com' }, invalidAt('#/email', 'unknown-field')],
  ['body: null', null, invalidAt('#', 'required')],
  ['body: an empty object', {}, returns(200)],
  ['body: null members', { role: null, disabled: null, password: null }, returns(200)],
];

const passwordRows: readonly Row[] = [
  ['body: an empty object', {}, invalidAtEach(['#/currentPassword', 'required'], ['#/newPassword', 'required'])],
  ['current password: wrong', { currentPassword: 'x', newPassword: password }, rejects(403, 'invalid-credentials')],
];

const toCases = (action: string, method: CorpusCase['method'], url: string, rows: readonly Row[]): CorpusCase[] =>
  rows.map(([name, body, expected]) => ({
    name: `${action}, ${name}`,
    method,
    url,
    caller: 'admin',
    headers: json,
    body: JSON.stringify(body),
    expected,
  }));

const toCase = (method: CorpusCase['method'], url: string, expected: ExpectedResponse): CorpusCase => ({
  name: `${method} ${url}`,
  method,
  url,
  caller: 'admin',
  expected,
});

/**
 * `/api/v1/users`, `/api/v1/session/password`, `/api/v1/session/stream`, `/api/v1/sessions` and
 * `/api/v1/audit-events`.
 */
export const manageUsers: readonly CorpusCase[] = [
  ...toCases('create', 'POST', '/api/v1/users', createRows),
  ...toCases('update', 'PATCH', '/api/v1/users/{viewerId}', updateRows),
  ...toCases('password', 'PUT', '/api/v1/session/password', passwordRows),
  toCase('GET', '/api/v1/users/{viewerId}', returns(200)),
  toCase('GET', '/api/v1/users/x', notFound),
  toCase('GET', '/api/v1/users/{viewerId}0', notFound),
  toCase('GET', '/api/v1/users/%00', notFound),
  toCase('GET', '/api/v1/users/00000000-0000-0000-0000-000000000000', notFound),
  toCase('GET', '/api/v1/users?role=admin', invalidParameter('role', 'unknown-field')),
  toCase('DELETE', '/api/v1/users/{viewerId}', { ...rejects(405, 'method-not-allowed'), allow: 'GET, HEAD, PATCH' }),
  toCase('POST', '/api/v1/session/stream', { ...rejects(405, 'method-not-allowed'), allow: 'GET, HEAD' }),
  toCase('GET', '/api/v1/sessions', returns(200)),
  toCase('GET', '/api/v1/sessions/{adminSessionId}', { ...rejects(405, 'method-not-allowed'), allow: 'DELETE' }),
  toCase('DELETE', '/api/v1/sessions/{viewerSessionId}', notFound),
  toCase('DELETE', '/api/v1/sessions/x', notFound),
  toCase('GET', '/api/v1/subscriptions/x/connections', notFound),
  toCase('GET', '/api/v1/subscriptions/00000000-0000-0000-0000-000000000000/connections', notFound),
  toCase('DELETE', '/api/v1/subscriptions/x/connections/x', notFound),
  toCase('GET', '/api/v1/users/{viewerId}/sessions', returns(200)),
  toCase('GET', '/api/v1/users/x/sessions', notFound),
  toCase('GET', '/api/v1/users/00000000-0000-0000-0000-000000000000/sessions', notFound),
  toCase('DELETE', '/api/v1/users/x/sessions', notFound),
  toCase('DELETE', '/api/v1/users/{viewerId}/sessions/x', notFound),
  toCase('DELETE', '/api/v1/users/{viewerId}/sessions/{editorSessionId}', notFound),
  toCase('DELETE', '/api/v1/users/00000000-0000-0000-0000-000000000000/sessions', notFound),
  toCase('GET', '/api/v1/audit-events?to=2026-03-01T10:00:00%2B01:00', invalidParameter('to', 'format')),
  { ...toCase('GET', '/api/v1/users', rejects(403, 'permission-denied')), name: 'list as a viewer', caller: 'viewer' },
  {
    ...toCase('DELETE', '/api/v1/sessions', rejects(403, 'csrf-token-invalid')),
    name: 'sign out everywhere without a CSRF token',
    headers: { 'x-csrf-token': '' },
  },
  {
    ...toCase('PATCH', '/api/v1/users/00000000-0000-0000-0000-000000000000', notFound),
    name: 'update an unknown user',
    headers: json,
    body: '{"role":"viewer"}',
  },
];
