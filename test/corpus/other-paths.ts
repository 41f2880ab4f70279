import {
  type CorpusCase,
  type ExpectedResponse,
  invalidAt,
  invalidAtEach,
  json,
  rejects,
  returns,
} from './corpus-case.ts';

const notFound = rejects(404, 'not-found');
const notAllowed = (allow: string): ExpectedResponse => ({ ...rejects(405, 'method-not-allowed'), allow });
const streamNotFound = rejects(404, 'stream-not-found');
const invalidCredentials = rejects(403, 'invalid-credentials');

type Row = readonly [CorpusCase['method'], string, ExpectedResponse, Partial<CorpusCase>?];

const unknownPaths =
  '/api /api/v1 /api/v1/ /api/v1/nothing /index.html /api/v2/widgets /api/v1/widgets/a/b /API/v1/widgets //api/v1/widgets /api//v1/widgets /api/v1/widgets%2Fx /api/v1/widgets.json /.env /.git/config /metrics /livez /__proto__ /api/v1/events/{streamToken}/';
const pathRows: readonly Row[] = [
  ...unknownPaths.split(' ').map((path): Row => ['GET', path, notFound]),
  ['GET', '/', returns(302)],
  ['POST', '/api/v2/widgets', notFound],
  ['OPTIONS', '/nowhere', notFound],
  ['GET', '/%zz', rejects(400, 'malformed-request')],
  ['POST', '/nowhere', notFound, { headers: json, body: '{' }],
  ['POST', '/nowhere', notFound, { headers: { 'content-type': 'text/plain' }, body: ' '.repeat(100_000) }],
  ['PUT', '/api/v1/widgets', notAllowed('GET, HEAD, POST')],
  ['PUT', '/api/v1/%77idgets', notAllowed('GET, HEAD, POST')],
  ['PATCH', '/api/v1/widgets', notAllowed('GET, HEAD, POST'), { headers: json, body: '{' }],
  ['DELETE', '/api/v1/widgets?page=1', notAllowed('GET, HEAD, POST')],
  ['OPTIONS', '/api/v1/widgets', notAllowed('GET, HEAD, POST')],
  ['POST', '/api/v1/widgets/x', notAllowed('GET, HEAD')],
  ['PUT', '/api/v1/session', notAllowed('DELETE, GET, HEAD, POST')],
  ...(['POST', 'PUT', 'PATCH', 'DELETE'] as const).map(
    (method): Row => [method, '/api/v1/audit-events', notAllowed('GET, HEAD'), { caller: 'admin' }],
  ),
  ['DELETE', '/api/v1/widgets/{widgetId}', notAllowed('GET, HEAD'), { caller: 'admin' }],
  ['GET', '/api/v1/events/hooks/x', notAllowed('POST')],
  ['GET', '/api/v1/events/hooks/%zz', notAllowed('POST')],
  ['OPTIONS', '/api/v1/events/hooks/x', notAllowed('POST')],
  ['POST', '/api/v1/openapi.json', notAllowed('GET, HEAD')],
  ['HEAD', '/api/v1/openapi.json', returns(200)],
  ['POST', '/api/v1/asyncapi.json', notAllowed('GET, HEAD')],
  ['HEAD', '/api/v1/asyncapi.json', returns(200)],
  ['HEAD', '/api/v1/widgets', returns(200), { caller: 'viewer' }],
  ['HEAD', '/api/v1/widgets/{widgetId}', returns(200), { caller: 'viewer' }],
  ['HEAD', '/api/v1/session', returns(200), { caller: 'viewer' }],
];

const sessionRows: readonly Row[] = [
  ['GET', '/api/v1/session', rejects(403, 'not-authenticated')],
  ['GET', '/api/v1/session', rejects(403, 'not-authenticated'), { headers: { cookie: '{expiredCookie}' } }],
  ['GET', '/api/v1/session', returns(200), { caller: 'viewer' }],
  ['GET', '/api/v1/session', returns(200), { caller: 'viewer', headers: json }],
  ['DELETE', '/api/v1/session', rejects(403, 'not-authenticated')],
  ['DELETE', '/api/v1/session', rejects(403, 'csrf-token-invalid'), { headers: { cookie: '{viewerCookie}' } }],
];

/** Only a few are well-formed, because the service hashes a password for each well-formed one. */
const signInRows: readonly (readonly [string, string, ExpectedResponse])[] = [
  ['an empty body', '', invalidAt('#', 'required')],
  ['incomplete JSON', '{', rejects(400, 'invalid-json')],
  ['e-mail: missing', '{"password":"correct horse"}', invalidAt('#/email', 'required')],
  ['password: missing', '{"email":"ann@example.com"}', invalidAt('#/password', 'required')],
  ['e-mail: null', '{"email":null,"password":"x"}', invalidAt('#/email', 'type')],
  [
    'e-mail: a query operator',
    '{"email":{"$ne":null},"password":{"$ne":null}}',
    invalidAtEach(['#/email', 'type'], ['#/password', 'type']),
  ],
  [
    'a missing and an unknown member',
    '{"email":"a@b","remember":true}',
    invalidAtEach(['#/password', 'required'], ['#/remember', 'unknown-field']),
  ],
  ['password: a number', '{"email":"a@b","password":123456789012}', invalidAt('#/password', 'type')],
  ['password: an array', '{"email":"a@b","password":["x"]}', invalidAt('#/password', 'type')],
  ['an unknown field', '{"email":"a@b","password":"x","remember":true}', invalidAt('#/remember', 'unknown-field')],
  ['body: an array', '[]', invalidAt('#', 'type')],
  ['a lone surrogate', '{"email":"a@b","password":"\\ud800"}', rejects(400, 'invalid-json')],
  ['an unknown account', '{"email":"nobody@example.com","password":"correct horse"}', invalidCredentials],
  ['e-mail: malformed', '{"email":"nobody","password":"correct horse"}', invalidCredentials],
  ['empty e-mail and password', '{"email":"","password":""}', invalidCredentials],
  ['NUL in e-mail and password', '{"email":"a@b\\u0000","password":"\\u0000"}', invalidCredentials],
  ['password: 4 000 characters', `{"email":"a@b","password":"${'p'.repeat(4_000)}"}`, invalidCredentials],
  ['e-mail: 4 000 characters', `{"email":"${'e'.repeat(4_000)}","password":"p"}`, invalidCredentials],
];

/** An opened stream does not end, so `GET` with a valid token is not among them. */
const streamRows: readonly Row[] = [
  ['GET', '/api/v1/events/', streamNotFound],
  ['GET', '/api/v1/events/hooks', streamNotFound],
  ['GET', '/api/v1/events/x', streamNotFound],
  ['GET', '/api/v1/events/{unknownStreamToken}', streamNotFound],
  ['GET', '/api/v1/events/{expiredStreamToken}', streamNotFound],
  ['GET', '/api/v1/events/{replacedStreamToken}', streamNotFound],
  ['GET', '/api/v1/events/{revokedStreamToken}', streamNotFound],
  ['GET', '/api/v1/events/{hookToken}', streamNotFound],
  ['GET', '/api/v1/events/{streamTokenInSmallLetters}', streamNotFound],
  ['GET', '/api/v1/events/{streamTokenMistyped}', streamNotFound],
  ['GET', '/api/v1/events/{streamToken}%20', streamNotFound],
  ['GET', '/api/v1/events/{streamToken}%2F', streamNotFound],
  ['GET', '/api/v1/events/{streamToken}%', streamNotFound],
  ['GET', '/api/v1/events/%zz', streamNotFound],
  ['GET', '/api/v1/events/%ff?lastEventId=%ff', streamNotFound],
  ['GET', `/api/v1/events/${'a'.repeat(8_000)}`, streamNotFound],
  ['GET', `/api/v1/events/${'a'.repeat(9_000)}`, streamNotFound],
  ['GET', `/api/v1/events/{streamToken}?lastEventId=${'1'.repeat(9_000)}`, rejects(400, 'uri-too-long')],
  ['HEAD', '/api/v1/events/%zz', { status: 404 }],
  ['HEAD', '/api/v1/events/{streamToken}', returns(200)],
  ['OPTIONS', '/api/v1/events/{streamToken}', returns(204)],
  ['OPTIONS', '/api/v1/events/%zz', returns(204)],
  ['OPTIONS', `/api/v1/events/${'a'.repeat(9_000)}`, returns(204)],
  ['POST', '/api/v1/events/{streamToken}', notAllowed('GET, HEAD, OPTIONS')],
  ['POST', '/api/v1/events/%zz', notAllowed('GET, HEAD, OPTIONS')],
  ['POST', '/api/v1/events/hooks', notAllowed('GET, HEAD, OPTIONS')],
];

const toCase = ([method, url, expected, rest = {}]: Row, index: number): CorpusCase => ({
  name: `${method} ${url.length > 100 ? `${url.slice(0, 40)}… (${url.length} characters)` : url} (case ${index + 1})`,
  method,
  url,
  expected,
  ...rest,
});

/** Paths and methods that no operation has, and paths that resemble those of an operation. */
export const otherPaths: readonly CorpusCase[] = pathRows.map(toCase);

/** `/api/v1/session`. */
export const session: readonly CorpusCase[] = [
  ...sessionRows.map(toCase),
  ...signInRows.map(
    ([name, body, expected]): CorpusCase => ({
      name: `sign-in: ${name}`,
      method: 'POST',
      url: '/api/v1/session',
      headers: json,
      body,
      expected,
    }),
  ),
];

/** `GET /api/v1/events/{token}`. */
export const streamTokens: readonly CorpusCase[] = streamRows.map(toCase);
