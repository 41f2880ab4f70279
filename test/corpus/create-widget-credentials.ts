import { answers, type CorpusAnswer, type CorpusCase, json, refuses } from './corpus-case.ts';

const accepted = answers(201);
const notAuthenticated = refuses(403, 'not-authenticated');
const wrongCsrf = refuses(403, 'csrf-token-invalid');
const cookie = '{editorCookie}';
const token = { 'x-csrf-token': '{editorCsrf}' };
const good = { cookie, ...token };

type Headers = NonNullable<CorpusCase['headers']>;

const cookies: readonly (readonly [string, Headers, CorpusAnswer])[] = [
  ['none', {}, notAuthenticated],
  ['none, but a CSRF token', token, notAuthenticated],
  ['an empty cookie', { cookie: '', ...token }, notAuthenticated],
  ['an empty value', { cookie: 'service_console=', ...token }, notAuthenticated],
  ['no value', { cookie: 'service_console', ...token }, notAuthenticated],
  ['a made-up session', { cookie: `service_console=${'A'.repeat(43)}`, ...token }, notAuthenticated],
  ['a short session', { cookie: 'service_console=short', ...token }, notAuthenticated],
  ['a session of 8 000', { cookie: `service_console=${'A'.repeat(8_000)}`, ...token }, notAuthenticated],
  ['a session in quotes', { cookie: '{editorCookieQuoted}', ...token }, notAuthenticated],
  ['a session with an operator', { cookie: 'service_console[$ne]=x', ...token }, notAuthenticated],
  ['a session that is over', { cookie: '{expiredCookie}', 'x-csrf-token': '{expiredCsrf}' }, notAuthenticated],
  ['an idle session', { cookie: '{idleCookie}', 'x-csrf-token': '{idleCsrf}' }, notAuthenticated],
  ['a session that was ended', { cookie: '{endedCookie}', 'x-csrf-token': '{endedCsrf}' }, notAuthenticated],
  ['a disabled user', { cookie: '{disabledCookie}', 'x-csrf-token': '{disabledCsrf}' }, notAuthenticated],
  ['two cookies', { cookie: `${cookie}; {viewerCookie}`, ...token }, notAuthenticated],
  ['two cookies, the other first', { cookie: `{viewerCookie}; ${cookie}`, ...token }, notAuthenticated],
  ['one cookie twice', { cookie: `${cookie}; ${cookie}`, ...token }, notAuthenticated],
  ['two Cookie headers', { cookie: [cookie, '{viewerCookie}'], ...token }, notAuthenticated],
  ['a second, empty cookie', { cookie: `${cookie}; service_console=`, ...token }, notAuthenticated],
  ['a cookie of another case', { cookie: 'SERVICE_CONSOLE=x', ...token }, notAuthenticated],
  ['500 other cookies', { cookie: `${'a=b; '.repeat(500)}${cookie}`, ...token }, accepted],
  ['a broken cookie beside it', { cookie: `%zz=%zz; =; ;; ${cookie}`, ...token }, accepted],
  ['a viewer', { cookie: '{viewerCookie}', 'x-csrf-token': '{viewerCsrf}' }, refuses(403, 'permission-denied')],
  ['a session in the address', { 'x-session': 'service_console', ...token }, notAuthenticated],
  ['Basic', { authorization: 'Basic YWRtaW46YWRtaW4=', ...token }, notAuthenticated],
  ['Basic beside the cookie', { authorization: 'Basic YWRtaW46YWRtaW4=', ...good }, accepted],
];

const csrfTokens: readonly (readonly [string, Headers, CorpusAnswer])[] = [
  ['none', { cookie }, wrongCsrf],
  ['empty', { cookie, 'x-csrf-token': '' }, wrongCsrf],
  ['short', { cookie, 'x-csrf-token': 'short' }, wrongCsrf],
  ['made up', { cookie, 'x-csrf-token': 'A'.repeat(43) }, wrongCsrf],
  ['of another session', { cookie, 'x-csrf-token': '{viewerCsrf}' }, wrongCsrf],
  ['the session itself', { cookie, 'x-csrf-token': cookie }, wrongCsrf],
  ['sent twice', { cookie, 'x-csrf-token': ['{editorCsrf}', '{editorCsrf}'] }, wrongCsrf],
  ['of 8 000', { cookie, 'x-csrf-token': 'A'.repeat(8_000) }, wrongCsrf],
  ['with a letter that is none', { cookie, 'x-csrf-token': '\u00e4'.repeat(43) }, wrongCsrf],
];

const origins: readonly (readonly [string, Headers, CorpusAnswer])[] = [
  ['Origin of another host', { ...good, origin: 'https://evil.example' }, wrongCsrf],
  ['Origin null', { ...good, origin: 'null' }, wrongCsrf],
  ['Origin empty', { ...good, origin: '' }, wrongCsrf],
  ['Origin of another port', { ...good, host: 'localhost:80', origin: 'http://localhost:81' }, wrongCsrf],
  ['Origin with our name in front', { ...good, host: 'localhost', origin: 'http://localhost.evil.example' }, wrongCsrf],
  ['Origin twice', { ...good, host: 'localhost', origin: ['http://localhost', 'https://evil.example'] }, wrongCsrf],
  ['Origin ours', { ...good, host: 'localhost:80', origin: 'http://localhost:80' }, accepted],
  ['Sec-Fetch-Site cross-site', { ...good, 'sec-fetch-site': 'cross-site' }, wrongCsrf],
  ['Sec-Fetch-Site same-site', { ...good, 'sec-fetch-site': 'same-site' }, wrongCsrf],
  ['Sec-Fetch-Site empty', { ...good, 'sec-fetch-site': '' }, wrongCsrf],
  ['Sec-Fetch-Site unknown', { ...good, 'sec-fetch-site': 'SAME-ORIGIN' }, wrongCsrf],
  ['Sec-Fetch-Site twice', { ...good, 'sec-fetch-site': ['same-origin', 'cross-site'] }, wrongCsrf],
  ['Sec-Fetch-Site same-origin', { ...good, 'sec-fetch-site': 'same-origin' }, accepted],
  ['Sec-Fetch-Site none', { ...good, 'sec-fetch-site': 'none' }, accepted],
];

const toCase = (name: string, headers: Headers, expected: CorpusAnswer, body = '{"name":"x"}'): CorpusCase => ({
  name,
  method: 'POST',
  url: '/api/v1/widgets',
  headers: { ...json, ...headers },
  body,
  expected,
});

/** `POST /api/v1/widgets`: who asks is looked at before what is asked. */
export const createWidgetCredentials: readonly CorpusCase[] = [
  ...cookies.map(([name, headers, expected]) => toCase(`session: ${name}`, headers, expected)),
  ...csrfTokens.map(([name, headers, expected]) => toCase(`CSRF token: ${name}`, headers, expected)),
  ...origins.map(([name, headers, expected]) => toCase(name, headers, expected)),
  toCase('a broken body is not looked at', {}, notAuthenticated, '{'),
  toCase('a large body is not looked at', {}, notAuthenticated, ' '.repeat(100_000)),
  toCase('a media type is not looked at', { 'content-type': 'text/plain' }, notAuthenticated),
  toCase('an idempotency key is not looked at', { 'idempotency-key': 'two words' }, notAuthenticated),
];
