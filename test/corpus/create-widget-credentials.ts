import { type CorpusCase, type ExpectedResponse, json, rejects, returns } from './corpus-case.ts';

const accepted = returns(201);
const notAuthenticated = rejects(403, 'not-authenticated');
const invalidCsrf = rejects(403, 'csrf-token-invalid');
const cookie = '{editorCookie}';
const csrfHeader = { 'x-csrf-token': '{editorCsrf}' };
const validHeaders = { cookie, ...csrfHeader };

type Headers = NonNullable<CorpusCase['headers']>;

const cookies: readonly (readonly [string, Headers, ExpectedResponse])[] = [
  ['none', {}, notAuthenticated],
  ['none, with a CSRF token', csrfHeader, notAuthenticated],
  ['an empty cookie', { cookie: '', ...csrfHeader }, notAuthenticated],
  ['a cookie with an empty value', { cookie: 'service_console=', ...csrfHeader }, notAuthenticated],
  ['a cookie without a value', { cookie: 'service_console', ...csrfHeader }, notAuthenticated],
  ['an unknown session id', { cookie: `service_console=${'A'.repeat(43)}`, ...csrfHeader }, notAuthenticated],
  ['a short session id', { cookie: 'service_console=short', ...csrfHeader }, notAuthenticated],
  ['an id of 8 000 letters', { cookie: `service_console=${'A'.repeat(8_000)}`, ...csrfHeader }, notAuthenticated],
  ['a session id in quotes', { cookie: 'service_console="{editorCookieValue}"', ...csrfHeader }, notAuthenticated],
  ['a percent-encoded id', { cookie: 'service_console={editorCookieValueEncoded}', ...csrfHeader }, notAuthenticated],
  ['a session id one character too long', { cookie: `${cookie}A`, ...csrfHeader }, notAuthenticated],
  ['a cookie name with the prefix __Host-', { cookie: `__Host-${cookie}`, ...csrfHeader }, notAuthenticated],
  ['a cookie name before a blank', { cookie: 'service_console ={editorCookieValue}', ...csrfHeader }, notAuthenticated],
  ['a session cookie after a comma', { cookie: `a=1, ${cookie}`, ...csrfHeader }, notAuthenticated],
  ['a cookie name with a query operator', { cookie: 'service_console[$ne]=x', ...csrfHeader }, notAuthenticated],
  ['an expired session', { cookie: '{expiredCookie}', 'x-csrf-token': '{expiredCsrf}' }, notAuthenticated],
  ['an idle session', { cookie: '{idleCookie}', 'x-csrf-token': '{idleCsrf}' }, notAuthenticated],
  ['a revoked session', { cookie: '{endedCookie}', 'x-csrf-token': '{endedCsrf}' }, notAuthenticated],
  [
    'the session of a disabled user',
    { cookie: '{disabledCookie}', 'x-csrf-token': '{disabledCsrf}' },
    notAuthenticated,
  ],
  ['two session cookies', { cookie: `${cookie}; {viewerCookie}`, ...csrfHeader }, notAuthenticated],
  ['two session cookies in the other order', { cookie: `{viewerCookie}; ${cookie}`, ...csrfHeader }, notAuthenticated],
  ['the same session cookie twice', { cookie: `${cookie}; ${cookie}`, ...csrfHeader }, notAuthenticated],
  ['two Cookie headers', { cookie: [cookie, '{viewerCookie}'], ...csrfHeader }, notAuthenticated],
  ['a second, empty session cookie', { cookie: `${cookie}; service_console=`, ...csrfHeader }, notAuthenticated],
  ['a cookie name in upper case', { cookie: 'SERVICE_CONSOLE=x', ...csrfHeader }, notAuthenticated],
  ['500 other cookies', { cookie: `${'a=b; '.repeat(500)}${cookie}`, ...csrfHeader }, accepted],
  ['a valid cookie beside malformed ones', { cookie: `%zz=%zz; =; ;; ${cookie}`, ...csrfHeader }, accepted],
  [
    'the session of a viewer',
    { cookie: '{viewerCookie}', 'x-csrf-token': '{viewerCsrf}' },
    rejects(403, 'permission-denied'),
  ],
  ['a session in another header', { 'x-session': 'service_console', ...csrfHeader }, notAuthenticated],
  ['Basic credentials', { authorization: 'Basic YWRtaW46YWRtaW4=', ...csrfHeader }, notAuthenticated],
  ['Basic credentials beside a valid cookie', { authorization: 'Basic YWRtaW46YWRtaW4=', ...validHeaders }, accepted],
];

const csrfTokens: readonly (readonly [string, Headers, ExpectedResponse])[] = [
  ['none', { cookie }, invalidCsrf],
  ['empty', { cookie, 'x-csrf-token': '' }, invalidCsrf],
  ['short', { cookie, 'x-csrf-token': 'short' }, invalidCsrf],
  ['unknown', { cookie, 'x-csrf-token': 'A'.repeat(43) }, invalidCsrf],
  ['of another session', { cookie, 'x-csrf-token': '{viewerCsrf}' }, invalidCsrf],
  ['the session cookie', { cookie, 'x-csrf-token': cookie }, invalidCsrf],
  ['sent twice', { cookie, 'x-csrf-token': ['{editorCsrf}', '{editorCsrf}'] }, invalidCsrf],
  ['8 000 characters', { cookie, 'x-csrf-token': 'A'.repeat(8_000) }, invalidCsrf],
  ['43 non-ASCII letters', { cookie, 'x-csrf-token': '\u00e4'.repeat(43) }, invalidCsrf],
  ['in upper case', { cookie, 'x-csrf-token': '{editorCsrfInCapitals}' }, invalidCsrf],
  ['one character too short', { cookie, 'x-csrf-token': '{editorCsrfShort}' }, invalidCsrf],
  ['with = appended', { cookie, 'x-csrf-token': '{editorCsrf}=' }, invalidCsrf],
  ['in a cookie', { cookie: `${cookie}; x-csrf-token={editorCsrf}; csrfToken={editorCsrf}` }, invalidCsrf],
  ['in X-Xsrf-Token', { cookie, 'x-xsrf-token': '{editorCsrf}' }, invalidCsrf],
  ['in Csrf-Token', { cookie, 'csrf-token': '{editorCsrf}' }, invalidCsrf],
  ['as a bearer token', { cookie, authorization: 'Bearer {editorCsrf}' }, notAuthenticated],
];

const toCase = (name: string, headers: Headers, expected: ExpectedResponse, body = '{"name":"x"}'): CorpusCase => ({
  name,
  method: 'POST',
  url: '/api/v1/widgets',
  headers: { ...json, ...headers },
  body,
  expected,
});

/** `POST /api/v1/widgets`: session, CSRF token and origin, which are checked before the body. */
export const createWidgetCredentials: readonly CorpusCase[] = [
  ...cookies.map(([name, headers, expected]) => toCase(`session: ${name}`, headers, expected)),
  ...csrfTokens.map(([name, headers, expected]) => toCase(`CSRF token: ${name}`, headers, expected)),
  { ...toCase('CSRF token: in the query', { cookie }, invalidCsrf), url: '/api/v1/widgets?csrfToken={editorCsrf}' },
  toCase('no session and broken JSON', {}, notAuthenticated, '{'),
  toCase('no session and a body of 100 kB', {}, notAuthenticated, ' '.repeat(100_000)),
  toCase('no session and another media type', { 'content-type': 'text/plain' }, notAuthenticated),
  toCase('no session and a malformed idempotency key', { 'idempotency-key': 'two words' }, notAuthenticated),
];
