/** The status of each response until the connection is closed and, for a problem, its code. */
type ExpectedResponses = readonly (readonly [status: number, code?: string])[];

export interface RawCase {
  readonly name: string;
  /** One byte per character. The run fills in each `{variable}`. */
  readonly bytes: string;
  readonly expected: ExpectedResponses;
  /** Hides a create where a proxy would see a body: `smuggled-requests.ts`. */
  readonly smuggles?: boolean;
}

const malformed: ExpectedResponses = [[400, 'malformed-request']];
const tooLarge: ExpectedResponses = [[400, 'headers-too-large']];
const notFound: ExpectedResponses = [[404, 'not-found']];
const notAuthenticated: ExpectedResponses = [[403, 'not-authenticated']];
const unsupportedType: ExpectedResponses = [[400, 'unsupported-media-type']];
const redirected: ExpectedResponses = [[302]];
const noResponse: ExpectedResponses = [];

const closeHeader = 'Connection: close\r\n';
const get = (target: string, headers = '') => `GET ${target} HTTP/1.1\r\nHost: a\r\n${headers}${closeHeader}\r\n`;
const admin = 'Host: a\r\nCookie: {adminCookie}\r\nX-Csrf-Token: {adminCsrf}\r\n';
const signedIn = 'Host: a\r\nCookie: {editorCookie}\r\nX-Csrf-Token: {editorCsrf}\r\n';
const post = (headers: string, body: string) =>
  `POST /api/v1/widgets HTTP/1.1\r\n${signedIn}Content-Type: application/json\r\n${headers}\r\n${body}`;
/** Posts to an operation without a required body. */
const postOptional = (type: string, headers: string, body: string) =>
  `POST /api/v1/subscriptions/{subscriptionsId}/rotate HTTP/1.1\r\n${admin}${type}${headers}${closeHeader}\r\n${body}`;
const session = '/api/v1/session';
const json = '{"name":"x"}';
const repeatHeader = (count: number) => 'a:\r\n'.repeat(count);

type Row = readonly [string, string, ExpectedResponses];

const protocolRows: readonly Row[] = [
  ['zeros', '\0'.repeat(100), malformed],
  ['text that is not HTTP', 'nonsense secretsecret\r\n\r\n', malformed],
  ['random bytes', '\x8f\x02\xff\xc3\x28\xa0\xa1\xfe\xfe\xff\xff', malformed],
  ['TLS', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03', malformed],
  ['SSH', 'SSH-2.0-OpenSSH_9.6\r\n', malformed],
  ['SMTP', 'EHLO example.com\r\n', malformed],
  ['Redis', '*1\r\n$4\r\nPING\r\n', malformed],
  ['HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', malformed],
  ['HTTP/0.9', 'GET /\r\n\r\n', malformed],
  ['HTTP/3.0', 'GET / HTTP/3.0\r\nHost: a\r\n\r\n', malformed],
  ['HTTP/1.2', 'GET / HTTP/1.2\r\nHost: a\r\n\r\n', malformed],
  ['a request line without a version', 'GET / \r\nHost: a\r\n\r\n', malformed],
  ['another protocol', 'GET / ICY/1.0\r\nHost: a\r\n\r\n', malformed],
  ['a method in lower case', 'get / HTTP/1.1\r\nHost: a\r\n\r\n', malformed],
  ['an unknown method', 'BREW / HTTP/1.1\r\nHost: a\r\n\r\n', malformed],
  ['a leading space', ' GET / HTTP/1.1\r\nHost: a\r\n\r\n', malformed],
  ['leading empty lines', `\r\n\r\n${get(session)}`, notAuthenticated],
  [
    'a method that no route supports',
    `PROPFIND ${session} HTTP/1.1\r\nHost: a\r\n${closeHeader}\r\n`,
    [[405, 'method-not-allowed']],
  ],
  [
    'a method that no route supports, on an unknown path',
    `MKCOL /x HTTP/1.1\r\nHost: a\r\n${closeHeader}\r\n`,
    notFound,
  ],
  ['QUERY', `QUERY ${session} HTTP/1.1\r\nHost: a\r\n${closeHeader}\r\n`, [[405, 'method-not-allowed']]],
  [
    'TRACE',
    `TRACE ${session} HTTP/1.1\r\nHost: a\r\nCookie: secretsecret\r\n${closeHeader}\r\n`,
    [[405, 'method-not-allowed']],
  ],
  ['CONNECT', 'CONNECT example.com:443 HTTP/1.1\r\nHost: example.com\r\n\r\n', noResponse],
  ['HTTP/1.0 without a Host', `GET ${session} HTTP/1.0\r\n\r\n`, notAuthenticated],
  ['HTTP/1.0 with two Hosts', `GET ${session} HTTP/1.0\r\nHost: a\r\nHost: b\r\n\r\n`, malformed],
  ['an upgrade to a web socket', get(session, 'Upgrade: websocket\r\n'), notAuthenticated],
  ['an upgrade to HTTP/2', get(session, 'Upgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\n'), notAuthenticated],
];

const targetRows: readonly Row[] = [
  ['a target with a space', get('/a b'), malformed],
  ['a target with NUL', get('/a\0b'), malformed],
  ['a target with a tab', get('/a\tb'), malformed],
  ['a target with a line feed', get('/a\nb'), malformed],
  ['a target without a leading slash', get('api/v1/session'), malformed],
  ['an authority as target', get('example.com:80'), malformed],
  ['a target with non-ASCII bytes', get('/\xff\xfe'), malformed],
  ['an absolute URL', get('http://example.com/api/v1/session'), notAuthenticated],
  ['an absolute URL in upper case', get('HTTP://EXAMPLE.COM/api/v1/session?x'), notAuthenticated],
  ['an absolute URL without a path', get('http://example.com'), redirected],
  ['an absolute URL with a query only', get('http://example.com?/api/v1/session'), redirected],
  [
    'an absolute URL with an invalid hook token',
    `POST http://example.com/api/v1/events/hooks/%zz HTTP/1.1\r\nHost: a\r\n${closeHeader}\r\n`,
    [[400, 'invalid-hook-token']],
  ],
  ['an absolute URL with another scheme', get('ftp://example.com/api/v1/session'), notFound],
  ['a target with a fragment', get(`${session}#secret`), notAuthenticated],
  ['OPTIONS *', `OPTIONS * HTTP/1.1\r\nHost: a\r\n${closeHeader}\r\n`, notFound],
  ['GET *', get('*'), notFound],
  ['a target of 15 000 characters', get(`/${'a'.repeat(15_000)}`), [[400, 'uri-too-long']]],
  ['a target of 17 000 characters', get(`/${'a'.repeat(17_000)}`), tooLarge],
  ['a target with dot segments', get('/api/v1/../../etc/passwd'), notFound],
];

const headers: readonly Row[] = [
  ['no Host', `GET ${session} HTTP/1.1\r\n${closeHeader}\r\n`, malformed],
  ['two Hosts', get(session, 'Host: b\r\n'), malformed],
  ['a second Host after 2 500 other headers', get(session, `${repeatHeader(2_500)}Host: b\r\n`), malformed],
  ['a Host with a space', `GET ${session} HTTP/1.1\r\nHost: a b\r\n${closeHeader}\r\n`, malformed],
  ['a Host with a path', `GET ${session} HTTP/1.1\r\nHost: a/secretsecret\r\n${closeHeader}\r\n`, malformed],
  ['a Host with a user', `GET ${session} HTTP/1.1\r\nHost: ann@a\r\n${closeHeader}\r\n`, malformed],
  ['a Host that is not ASCII', `GET ${session} HTTP/1.1\r\nHost: \xff\r\n${closeHeader}\r\n`, malformed],
  ['an empty Host', `GET ${session} HTTP/1.1\r\nHost:\r\n${closeHeader}\r\n`, notAuthenticated],
  ['an IPv6 Host', `GET ${session} HTTP/1.1\r\nHost: [::1]:8080\r\n${closeHeader}\r\n`, notAuthenticated],
  ['a header without a colon', get(session, 'nonsense\r\n'), malformed],
  ['a header without a name', get(session, ': x\r\n'), malformed],
  ['a space before the colon', get(session, 'X-A : x\r\n'), malformed],
  ['a header name with a space', get(session, 'X A: x\r\n'), malformed],
  ['a header name with an umlaut', get(session, 'X-\xc4: x\r\n'), malformed],
  ['a folded header', get(session, 'X-A: x\r\n y\r\n'), malformed],
  ['a folded first header', `GET ${session} HTTP/1.1\r\n Host: a\r\n\r\n`, malformed],
  ['NUL in a value', get(session, 'X-A: a\0b\r\n'), malformed],
  ['a bell in a value', get(session, 'X-A: a\x07b\r\n'), malformed],
  ['a carriage return in a value', get(session, 'X-A: a\rb\r\n'), malformed],
  ['line feeds without carriage returns', `GET ${session} HTTP/1.1\nHost: a\nConnection: close\n\n`, malformed],
  ['non-ASCII bytes in a value', get(session, 'X-A: \xff\xfe\r\n'), notAuthenticated],
  ['20 KB in one header', get(session, `X-A: ${'secret'.repeat(3_400)}\r\n`), tooLarge],
  ['20 KB in many headers', get(session, 'X-A: secretsecret\r\n'.repeat(1_100)), tooLarge],
  ['20 KB without an end', `GET ${session} HTTP/1.1\r\nHost: a\r\nX-A: ${'secret'.repeat(3_400)}`, tooLarge],
  ['3 000 headers in 12 KB', get(session, repeatHeader(3_000)), notAuthenticated],
  ['an unknown Expect', get(session, 'Expect: secret\r\n'), [[400, 'expectation-failed']]],
];

const bodyRows: readonly Row[] = [
  ['Content-Length and chunked', post('Content-Length: 5\r\nTransfer-Encoding: chunked\r\n', '0\r\n\r\n'), malformed],
  ['chunked and Content-Length', post('Transfer-Encoding: chunked\r\nContent-Length: 5\r\n', '0\r\n\r\n'), malformed],
  ['two different lengths', post('Content-Length: 12\r\nContent-Length: 13\r\n', json), malformed],
  ['two equal lengths', post('Content-Length: 12\r\nContent-Length: 12\r\n', json), malformed],
  ['a list of lengths', post('Content-Length: 12, 12\r\n', json), malformed],
  ['a negative length', post('Content-Length: -1\r\n', json), malformed],
  ['a signed length', post('Content-Length: +12\r\n', json), malformed],
  ['a hexadecimal length', post('Content-Length: 0xc\r\n', json), malformed],
  ['a length of 1e2', post('Content-Length: 1e2\r\n', json), malformed],
  ['an empty length', post('Content-Length: \r\n', json), malformed],
  ['a length beyond 64 bits', post('Content-Length: 99999999999999999999\r\n', json), malformed],
  ['a length of 1 GB', post(`Content-Length: 1000000000\r\n${closeHeader}`, json), [[400, 'payload-too-large']]],
  ['gzip as transfer encoding', post('Transfer-Encoding: gzip\r\n', json), malformed],
  ['chunked, then gzip', post('Transfer-Encoding: chunked, gzip\r\n', '0\r\n\r\n'), malformed],
  ['an unknown transfer encoding', post('Transfer-Encoding: xchunked\r\n', '0\r\n\r\n'), malformed],
  ['a chunk size that is not a number', post('Transfer-Encoding: chunked\r\n', 'zz\r\n'), malformed],
  ['a negative chunk size', post('Transfer-Encoding: chunked\r\n', '-1\r\n'), malformed],
  ['a chunk size beyond 64 bits', post('Transfer-Encoding: chunked\r\n', 'fffffffffffffffff\r\n'), malformed],
  ['a chunk without its end', post('Transfer-Encoding: chunked\r\n', 'c\r\n{"name":"x"}0\r\n\r\n'), malformed],
  ['an endless chunk extension', post('Transfer-Encoding: chunked\r\n', `c;${'x'.repeat(17_000)}`), tooLarge],
  ['endless trailers', post('Transfer-Encoding: chunked\r\n', `0\r\nX: ${'x'.repeat(17_000)}`), tooLarge],
  [
    'chunks that add up to more than 64 KiB',
    post(`Transfer-Encoding: chunked\r\n${closeHeader}`, `${`3e8\r\n${' '.repeat(1_000)}\r\n`.repeat(66)}0\r\n\r\n`),
    [[400, 'payload-too-large']],
  ],
  [
    'valid chunks',
    post(`Transfer-Encoding: Chunked\r\n${closeHeader}`, '4\r\n{"na\r\n8;x=y\r\nme":"x"}\r\n0\r\nX: y\r\n\r\n'),
    [[201]],
  ],
  ['no chunk', post(`Transfer-Encoding: chunked\r\n${closeHeader}`, '0\r\n\r\n'), [[400, 'invalid-request']]],
  ...['no media type', 'text/plain'].flatMap((type): readonly Row[] => {
    const typed = type === 'no media type' ? '' : `Content-Type: ${type}\r\n`;
    return [
      [`no chunk, ${type}`, postOptional(typed, 'Transfer-Encoding: chunked\r\n', '0\r\n\r\n'), [[200]]],
      [`a first chunk, ${type}`, postOptional(typed, 'Transfer-Encoding: chunked\r\n', '1\r\n \r\n'), unsupportedType],
      [`a length without a body, ${type}`, postOptional(typed, 'Content-Length: 12\r\n', ''), unsupportedType],
    ];
  }),
  ['100-continue', post(`Expect: 100-continue\r\nContent-Length: 12\r\n${closeHeader}`, json), [[100], [201]]],
  [
    'a request inside a body',
    post(`Content-Length: 51\r\n${closeHeader}`, `GET /api/v1/session HTTP/1.1\r\nHost: a\r\nX: secret\r\n\r\n`),
    [[400, 'invalid-json']],
  ],
];

const afterFirst = (second: string) => `GET ${session} HTTP/1.1\r\nHost: a\r\n\r\n${second}`;

const pipelineRows: readonly Row[] = [
  ['two requests', afterFirst(get('/nowhere')), [[403], [404]]],
  [
    '100 requests',
    `${afterFirst('').repeat(99)}${get('/nowhere')}`,
    [...Array<readonly [number]>(99).fill([403]), [404]],
  ],
  ['a request, then malformed bytes', afterFirst('nonsense\r\n\r\n'), notAuthenticated],
  ['a create, then malformed bytes', `${post('Content-Length: 12\r\n', json)}nonsense secretsecret\r\n\r\n`, [[201]]],
  ['a request after Connection: close', `${get(session)}${get('/nowhere')}`, notAuthenticated],
  [
    'a request after a body that is longer than its Content-Length',
    `${post('Content-Length: 12\r\n', `${json}GET / HTTP/1.1\r\nConnection: close\r\n`)}\r\n`,
    [[201], [400, 'malformed-request']],
  ],
];

/** Requests that no client library sends, as raw bytes. */
export const rawRequests: Readonly<Record<string, readonly RawCase[]>> = Object.fromEntries(
  Object.entries({
    protocol: protocolRows,
    target: targetRows,
    header: headers,
    body: bodyRows,
    pipeline: pipelineRows,
  }).map(([group, rows]) => [group, rows.map(([name, bytes, expected]) => ({ name, bytes, expected }))]),
);
