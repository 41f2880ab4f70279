import { answers, type CorpusAnswer, type CorpusCase, json, refuses, wrongAt } from './corpus-case.ts';

const notFound = refuses(404, 'not-found');
const notAllowed = (allow: string): CorpusAnswer => ({ ...refuses(405, 'method-not-allowed'), allow });
const noStream = refuses(404, 'stream-not-found');
const wrongCredentials = refuses(403, 'invalid-credentials');

type Row = readonly [CorpusCase['method'], string, CorpusAnswer, Partial<CorpusCase>?];

const addresses: readonly Row[] = [
  ['GET', '/', answers(302)],
  ['GET', '/api', notFound],
  ['GET', '/api/v1', notFound],
  ['GET', '/api/v1/', notFound],
  ['GET', '/api/v2/widgets', notFound],
  ['GET', '/API/v1/widgets', notFound],
  ['GET', '//api/v1/widgets', notFound],
  ['GET', '/api//v1/widgets', notFound],
  ['GET', '/api/v1/widgets%2Fx', notFound],
  ['GET', '/api/v1/widgets.json', notFound],
  ['GET', '/.env', notFound],
  ['GET', '/.git/config', notFound],
  ['GET', '/metrics', notFound],
  ['GET', '/livez', notFound],
  ['GET', '/__proto__', notFound],
  ['GET', '/%zz', refuses(400, 'malformed-request')],
  ['POST', '/nowhere', notFound, { headers: json, body: '{' }],
  ['POST', '/nowhere', notFound, { headers: { 'content-type': 'text/plain' }, body: ' '.repeat(100_000) }],
  ['PUT', '/api/v1/widgets', notAllowed('GET, HEAD, POST')],
  ['PUT', '/api/v1/%77idgets', notAllowed('GET, HEAD, POST')],
  ['PATCH', '/api/v1/widgets', notAllowed('GET, HEAD, POST'), { headers: json, body: '{' }],
  ['DELETE', '/api/v1/widgets?page=1', notAllowed('GET, HEAD, POST')],
  ['OPTIONS', '/api/v1/widgets', notAllowed('GET, HEAD, POST')],
  ['POST', '/api/v1/widgets/x', notAllowed('GET, HEAD')],
  ['DELETE', '/api/v1/widgets/{widgetId}', notAllowed('GET, HEAD'), { as: 'admin' }],
  ['GET', '/api/v1/events/hooks/x', notAllowed('POST')],
  ['GET', '/api/v1/events/hooks/%zz', notAllowed('POST')],
  ['OPTIONS', '/api/v1/events/hooks/x', notAllowed('POST')],
  ['POST', '/api/v1/openapi.json', notAllowed('GET, HEAD')],
  ['HEAD', '/api/v1/openapi.json', answers(200)],
  ['HEAD', '/api/v1/widgets', answers(200), { as: 'viewer' }],
  ['HEAD', '/api/v1/widgets/{widgetId}', answers(200), { as: 'viewer' }],
  ['HEAD', '/api/v1/session', answers(200), { as: 'viewer' }],
];

const sessions: readonly Row[] = [
  ['GET', '/api/v1/session', refuses(403, 'not-authenticated')],
  ['GET', '/api/v1/session', refuses(403, 'not-authenticated'), { headers: { cookie: '{expiredCookie}' } }],
  ['GET', '/api/v1/session', answers(200), { as: 'viewer' }],
  ['GET', '/api/v1/session', answers(200), { as: 'viewer', headers: json }],
  ['DELETE', '/api/v1/session', refuses(403, 'not-authenticated')],
  ['DELETE', '/api/v1/session', refuses(403, 'csrf-token-invalid'), { headers: { cookie: '{viewerCookie}' } }],
];

/** Sign-in with credentials of the right form hashes a password: there are few of them. */
const signIns: readonly (readonly [string, string, CorpusAnswer])[] = [
  ['nothing', '', wrongAt('#', 'required')],
  ['broken', '{', refuses(400, 'invalid-json')],
  ['no e-mail', '{"password":"correct horse"}', wrongAt('#/email', 'required')],
  ['no password', '{"email":"ann@example.com"}', wrongAt('#/password', 'required')],
  ['e-mail null', '{"email":null,"password":"x"}', wrongAt('#/email', 'type')],
  ['e-mail an operator', '{"email":{"$ne":null},"password":{"$ne":null}}', wrongAt('#/email', 'type')],
  ['password a number', '{"email":"a@b","password":123456789012}', wrongAt('#/password', 'type')],
  ['password an array', '{"email":"a@b","password":["x"]}', wrongAt('#/password', 'type')],
  ['more', '{"email":"a@b","password":"x","remember":true}', wrongAt('#/remember', 'unknown-field')],
  ['an array', '[]', wrongAt('#', 'type')],
  ['a lone surrogate', '{"email":"a@b","password":"\\ud800"}', refuses(400, 'invalid-json')],
  ['an unknown account', '{"email":"nobody@example.com","password":"correct horse"}', wrongCredentials],
  ['an e-mail that is none', '{"email":"nobody","password":"correct horse"}', wrongCredentials],
  ['empty', '{"email":"","password":""}', wrongCredentials],
  ['NUL in both', '{"email":"a@b\\u0000","password":"\\u0000"}', wrongCredentials],
  ['a password of 60 000', `{"email":"a@b","password":"${'p'.repeat(60_000)}"}`, wrongCredentials],
  ['an e-mail of 60 000', `{"email":"${'e'.repeat(60_000)}","password":"p"}`, wrongCredentials],
];

/** A stream that opens does not end: those that do are tried over sockets. */
const streams: readonly Row[] = [
  ['GET', '/api/v1/events/', noStream],
  ['GET', '/api/v1/events/hooks', noStream],
  ['GET', '/api/v1/events/x', noStream],
  ['GET', '/api/v1/events/{unknownStreamToken}', noStream],
  ['GET', '/api/v1/events/{expiredStreamToken}', noStream],
  ['GET', '/api/v1/events/{replacedStreamToken}', noStream],
  ['GET', '/api/v1/events/{revokedStreamToken}', noStream],
  ['GET', '/api/v1/events/{hookToken}', noStream],
  ['GET', '/api/v1/events/{streamTokenInSmallLetters}', noStream],
  ['GET', '/api/v1/events/{streamTokenMistyped}', noStream],
  ['GET', '/api/v1/events/{streamToken}%20', noStream],
  ['GET', '/api/v1/events/{streamToken}%2F', noStream],
  ['GET', '/api/v1/events/{streamToken}%', noStream],
  ['GET', '/api/v1/events/%zz', noStream],
  ['GET', '/api/v1/events/%ff?lastEventId=%ff', noStream],
  ['GET', `/api/v1/events/${'a'.repeat(8_000)}`, noStream],
  ['GET', `/api/v1/events/${'a'.repeat(9_000)}`, noStream],
  ['GET', `/api/v1/events/{streamToken}?lastEventId=${'1'.repeat(9_000)}`, refuses(400, 'uri-too-long')],
  ['GET', '/api/v1/events/{streamToken}/', notFound],
  ['HEAD', '/api/v1/events/%zz', { status: 404 }],
  ['HEAD', '/api/v1/events/{streamToken}', answers(200)],
  ['OPTIONS', '/api/v1/events/{streamToken}', answers(204)],
  ['OPTIONS', '/api/v1/events/%zz', answers(204)],
  ['OPTIONS', `/api/v1/events/${'a'.repeat(9_000)}`, answers(204)],
  ['POST', '/api/v1/events/{streamToken}', notAllowed('GET, HEAD, OPTIONS')],
  ['POST', '/api/v1/events/%zz', notAllowed('GET, HEAD, OPTIONS')],
  ['POST', '/api/v1/events/hooks', notAllowed('GET, HEAD, OPTIONS')],
];

const toCase = ([method, url, expected, rest = {}]: Row, index: number): CorpusCase => ({
  name: `${index + 1}: ${method} ${url.length > 100 ? `${url.slice(0, 40)}… (${url.length} characters)` : url}`,
  method,
  url,
  expected,
  ...rest,
});

/** Addresses and methods that no operation has, and those that only look as if. */
export const otherAddresses: readonly CorpusCase[] = addresses.map(toCase);

/** `/api/v1/session`. */
export const session: readonly CorpusCase[] = [
  ...sessions.map(toCase),
  ...signIns.map(
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
export const streamTokens: readonly CorpusCase[] = streams.map(toCase);
