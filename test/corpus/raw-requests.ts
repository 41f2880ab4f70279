/** What must come of bytes: the status and, of a refusal, the code of every answer until the connection is closed. */
type RawAnswers = readonly (readonly [status: number, code?: string])[];

export interface RawCase {
  readonly name: string;
  /** One byte per character. `{name}` stands for what the run has issued. */
  readonly bytes: string;
  readonly expected: RawAnswers;
}

const malformed: RawAnswers = [[400, 'malformed-request']];
const tooLarge: RawAnswers = [[400, 'headers-too-large']];
const notFound: RawAnswers = [[404, 'not-found']];
const notAuthenticated: RawAnswers = [[403, 'not-authenticated']];
const refusedType: RawAnswers = [[400, 'unsupported-media-type']];
const home: RawAnswers = [[302]];
const silence: RawAnswers = [];

const last = 'Connection: close\r\n';
const get = (target: string, headers = '') => `GET ${target} HTTP/1.1\r\nHost: a\r\n${headers}${last}\r\n`;
const signedIn = 'Host: a\r\nCookie: {editorCookie}\r\nX-Csrf-Token: {editorCsrf}\r\n';
const post = (headers: string, body: string) =>
  `POST /api/v1/widgets HTTP/1.1\r\n${signedIn}Content-Type: application/json\r\n${headers}\r\n${body}`;
/** To where no body is needed. */
const postTyped = (type: string, headers: string, body: string) =>
  `POST /api/v1/session/stream HTTP/1.1\r\n${signedIn}${type}${headers}${last}\r\n${body}`;
const session = '/api/v1/session';
const json = '{"name":"x"}';
const manyHeaders = (count: number) => 'a:\r\n'.repeat(count);

type Row = readonly [string, string, RawAnswers];

const protocols: readonly Row[] = [
  ['zeros', '\0'.repeat(100), malformed],
  ['random bytes', '\x8f\x02\xff\xc3\x28\xa0\xa1\xfe\xfe\xff\xff', malformed],
  ['TLS', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03', malformed],
  ['SSH', 'SSH-2.0-OpenSSH_9.6\r\n', malformed],
  ['SMTP', 'EHLO example.com\r\n', malformed],
  ['Redis', '*1\r\n$4\r\nPING\r\n', malformed],
  ['HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', malformed],
  ['HTTP/0.9', 'GET /\r\n\r\n', malformed],
  ['HTTP/3.0', 'GET / HTTP/3.0\r\nHost: a\r\n\r\n', malformed],
  ['HTTP/1.2', 'GET / HTTP/1.2\r\nHost: a\r\n\r\n', malformed],
  ['no version', 'GET / \r\nHost: a\r\n\r\n', malformed],
  ['another protocol', 'GET / ICY/1.0\r\nHost: a\r\n\r\n', malformed],
  ['small letters', 'get / HTTP/1.1\r\nHost: a\r\n\r\n', malformed],
  ['an unknown method', 'BREW / HTTP/1.1\r\nHost: a\r\n\r\n', malformed],
  ['a blank in front', ' GET / HTTP/1.1\r\nHost: a\r\n\r\n', malformed],
  ['empty lines in front', `\r\n\r\n${get(session)}`, notAuthenticated],
  [
    'a method that no route has',
    `PROPFIND ${session} HTTP/1.1\r\nHost: a\r\n${last}\r\n`,
    [[405, 'method-not-allowed']],
  ],
  ['a method that no route has, nowhere', `MKCOL /x HTTP/1.1\r\nHost: a\r\n${last}\r\n`, notFound],
  ['QUERY', `QUERY ${session} HTTP/1.1\r\nHost: a\r\n${last}\r\n`, [[405, 'method-not-allowed']]],
  [
    'TRACE',
    `TRACE ${session} HTTP/1.1\r\nHost: a\r\nCookie: secretsecret\r\n${last}\r\n`,
    [[405, 'method-not-allowed']],
  ],
  ['CONNECT', 'CONNECT example.com:443 HTTP/1.1\r\nHost: example.com\r\n\r\n', silence],
  ['HTTP/1.0 without a Host', `GET ${session} HTTP/1.0\r\n\r\n`, notAuthenticated],
  ['HTTP/1.0 with two Hosts', `GET ${session} HTTP/1.0\r\nHost: a\r\nHost: b\r\n\r\n`, malformed],
  ['an upgrade to a web socket', get(session, 'Upgrade: websocket\r\n'), notAuthenticated],
  ['an upgrade to HTTP/2', get(session, 'Upgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\n'), notAuthenticated],
];

const targets: readonly Row[] = [
  ['a blank in it', get('/a b'), malformed],
  ['NUL in it', get('/a\0b'), malformed],
  ['a tab in it', get('/a\tb'), malformed],
  ['a line feed in it', get('/a\nb'), malformed],
  ['no slash', get('api/v1/session'), malformed],
  ['an authority', get('example.com:80'), malformed],
  ['bytes above ASCII', get('/\xff\xfe'), malformed],
  ['an absolute one', get('http://example.com/api/v1/session'), notAuthenticated],
  ['an absolute one in capitals', get('HTTP://EXAMPLE.COM/api/v1/session?x'), notAuthenticated],
  ['an absolute one without a path', get('http://example.com'), home],
  ['an absolute one with a query alone', get('http://example.com?/api/v1/session'), home],
  [
    'an absolute one with a wrong token',
    `POST http://example.com/api/v1/events/hooks/%zz HTTP/1.1\r\nHost: a\r\n${last}\r\n`,
    [[400, 'invalid-hook-token']],
  ],
  ['an absolute one of another scheme', get('ftp://example.com/api/v1/session'), notFound],
  ['a fragment', get(`${session}#secret`), notAuthenticated],
  ['*', `OPTIONS * HTTP/1.1\r\nHost: a\r\n${last}\r\n`, notFound],
  ['* of a GET', get('*'), notFound],
  ['of 15 000', get(`/${'a'.repeat(15_000)}`), [[400, 'uri-too-long']]],
  ['of 17 000', get(`/${'a'.repeat(17_000)}`), tooLarge],
  ['dots', get('/api/v1/../../etc/passwd'), notFound],
];

const headers: readonly Row[] = [
  ['no Host', `GET ${session} HTTP/1.1\r\n${last}\r\n`, malformed],
  ['two Hosts', get(session, 'Host: b\r\n'), malformed],
  ['the second Host behind 2 500 others', get(session, `${manyHeaders(2_500)}Host: b\r\n`), malformed],
  ['a Host with a blank', `GET ${session} HTTP/1.1\r\nHost: a b\r\n${last}\r\n`, malformed],
  ['a Host with a path', `GET ${session} HTTP/1.1\r\nHost: a/secretsecret\r\n${last}\r\n`, malformed],
  ['a Host with a user', `GET ${session} HTTP/1.1\r\nHost: ann@a\r\n${last}\r\n`, malformed],
  ['a Host above ASCII', `GET ${session} HTTP/1.1\r\nHost: \xff\r\n${last}\r\n`, malformed],
  ['an empty Host', `GET ${session} HTTP/1.1\r\nHost:\r\n${last}\r\n`, notAuthenticated],
  ['a Host of IPv6', `GET ${session} HTTP/1.1\r\nHost: [::1]:8080\r\n${last}\r\n`, notAuthenticated],
  ['no colon', get(session, 'nonsense\r\n'), malformed],
  ['no name', get(session, ': x\r\n'), malformed],
  ['a blank before the colon', get(session, 'X-A : x\r\n'), malformed],
  ['a name with a blank', get(session, 'X A: x\r\n'), malformed],
  ['a name with an umlaut', get(session, 'X-\xc4: x\r\n'), malformed],
  ['a folded one', get(session, 'X-A: x\r\n y\r\n'), malformed],
  ['a folded first one', `GET ${session} HTTP/1.1\r\n Host: a\r\n\r\n`, malformed],
  ['NUL in a value', get(session, 'X-A: a\0b\r\n'), malformed],
  ['a bell in a value', get(session, 'X-A: a\x07b\r\n'), malformed],
  ['a carriage return in a value', get(session, 'X-A: a\rb\r\n'), malformed],
  ['line feeds alone', `GET ${session} HTTP/1.1\nHost: a\nConnection: close\n\n`, malformed],
  ['bytes above ASCII in a value', get(session, 'X-A: \xff\xfe\r\n'), notAuthenticated],
  ['20 KB in one', get(session, `X-A: ${'secret'.repeat(3_400)}\r\n`), tooLarge],
  ['20 KB in many', get(session, 'X-A: secretsecret\r\n'.repeat(1_100)), tooLarge],
  ['20 KB that never end', `GET ${session} HTTP/1.1\r\nHost: a\r\nX-A: ${'secret'.repeat(3_400)}`, tooLarge],
  ['3 000 in 12 KB', get(session, manyHeaders(3_000)), notAuthenticated],
  ['an expectation', get(session, 'Expect: secret\r\n'), [[400, 'expectation-failed']]],
];

const bodies: readonly Row[] = [
  ['Content-Length and chunked', post('Content-Length: 5\r\nTransfer-Encoding: chunked\r\n', '0\r\n\r\n'), malformed],
  ['chunked and Content-Length', post('Transfer-Encoding: chunked\r\nContent-Length: 5\r\n', '0\r\n\r\n'), malformed],
  ['two lengths', post('Content-Length: 12\r\nContent-Length: 13\r\n', json), malformed],
  ['two equal lengths', post('Content-Length: 12\r\nContent-Length: 12\r\n', json), malformed],
  ['a list of lengths', post('Content-Length: 12, 12\r\n', json), malformed],
  ['a negative length', post('Content-Length: -1\r\n', json), malformed],
  ['a signed length', post('Content-Length: +12\r\n', json), malformed],
  ['a hexadecimal length', post('Content-Length: 0xc\r\n', json), malformed],
  ['a length of 1e2', post('Content-Length: 1e2\r\n', json), malformed],
  ['no length in it', post('Content-Length: \r\n', json), malformed],
  ['a length beyond 64 bits', post('Content-Length: 99999999999999999999\r\n', json), malformed],
  ['a length of 1 GB', post(`Content-Length: 1000000000\r\n${last}`, json), [[400, 'payload-too-large']]],
  ['gzip as transfer encoding', post('Transfer-Encoding: gzip\r\n', json), malformed],
  ['chunked, then gzip', post('Transfer-Encoding: chunked, gzip\r\n', '0\r\n\r\n'), malformed],
  ['an unknown transfer encoding', post('Transfer-Encoding: xchunked\r\n', '0\r\n\r\n'), malformed],
  ['a chunk size that is none', post('Transfer-Encoding: chunked\r\n', 'zz\r\n'), malformed],
  ['a negative chunk size', post('Transfer-Encoding: chunked\r\n', '-1\r\n'), malformed],
  ['a chunk size beyond 64 bits', post('Transfer-Encoding: chunked\r\n', 'fffffffffffffffff\r\n'), malformed],
  ['a chunk without its end', post('Transfer-Encoding: chunked\r\n', 'c\r\n{"name":"x"}0\r\n\r\n'), malformed],
  ['an endless chunk extension', post('Transfer-Encoding: chunked\r\n', `c;${'x'.repeat(17_000)}`), tooLarge],
  ['endless trailers', post('Transfer-Encoding: chunked\r\n', `0\r\nX: ${'x'.repeat(17_000)}`), tooLarge],
  [
    'chunks that are too many',
    post(`Transfer-Encoding: chunked\r\n${last}`, `${`3e8\r\n${' '.repeat(1_000)}\r\n`.repeat(66)}0\r\n\r\n`),
    [[400, 'payload-too-large']],
  ],
  [
    'chunks',
    post(`Transfer-Encoding: Chunked\r\n${last}`, '4\r\n{"na\r\n8;x=y\r\nme":"x"}\r\n0\r\nX: y\r\n\r\n'),
    [[201]],
  ],
  ['no chunk at all', post(`Transfer-Encoding: chunked\r\n${last}`, '0\r\n\r\n'), [[400, 'invalid-request']]],
  ...['no type', 'text/plain'].flatMap((type): readonly Row[] => {
    const typed = type === 'no type' ? '' : `Content-Type: ${type}\r\n`;
    return [
      [`no chunk at all, ${type}`, postTyped(typed, 'Transfer-Encoding: chunked\r\n', '0\r\n\r\n'), [[201]]],
      [`a first chunk, ${type}`, postTyped(typed, 'Transfer-Encoding: chunked\r\n', '1\r\n \r\n'), refusedType],
      [`a length and no more, ${type}`, postTyped(typed, 'Content-Length: 12\r\n', ''), refusedType],
    ];
  }),
  ['100-continue', post(`Expect: 100-continue\r\nContent-Length: 12\r\n${last}`, json), [[100], [201]]],
  [
    'a request within a body',
    post(`Content-Length: 51\r\n${last}`, `GET /api/v1/session HTTP/1.1\r\nHost: a\r\nX: secret\r\n\r\n`),
    [[400, 'invalid-json']],
  ],
];

const two = (second: string) => `GET ${session} HTTP/1.1\r\nHost: a\r\n\r\n${second}`;

const pipelines: readonly Row[] = [
  ['two requests', two(get('/nowhere')), [[403], [404]]],
  ['100 requests', `${two('').repeat(99)}${get('/nowhere')}`, [...Array<readonly [number]>(99).fill([403]), [404]]],
  ['a request, then nonsense', two('nonsense\r\n\r\n'), notAuthenticated],
  ['a create, then nonsense', `${post('Content-Length: 12\r\n', json)}nonsense secretsecret\r\n\r\n`, [[201]]],
  ['a request behind a close', `${get(session)}${get('/nowhere')}`, notAuthenticated],
  [
    'a request within a body that is too long',
    `${post('Content-Length: 12\r\n', `${json}GET / HTTP/1.1\r\nConnection: close\r\n`)}\r\n`,
    [[201], [400, 'malformed-request']],
  ],
];

/** Requests that no client library sends, as the bytes of a connection. */
export const rawRequests: Readonly<Record<string, readonly RawCase[]>> = Object.fromEntries(
  Object.entries({ protocol: protocols, target: targets, header: headers, body: bodies, pipeline: pipelines }).map(
    ([group, rows]) => [group, rows.map(([name, bytes, expected]) => ({ name, bytes, expected }))],
  ),
);
