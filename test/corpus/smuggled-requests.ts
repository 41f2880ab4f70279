import { type CorpusVariables, expandVariables } from './corpus-variables.ts';
import type { RawCase } from './raw-requests.ts';

/*
 * Each attack hides a create, with valid credentials, where a proxy would see a body. A service that reads it as a
 * request of its own answers a question that the proxy did not forward. `raw-requests.ts` has single malformed
 * requests.
 */

const credentials = 'Cookie: {editorCookie}\r\nX-Csrf-Token: {editorCsrf}\r\n';
const signedIn = `Host: a\r\n${credentials}`;
const smuggledBody = '{"name":"smuggled"}';
/** The hidden request. It is valid. */
export const smuggled = `POST /api/v1/widgets HTTP/1.1\r\n${signedIn}Content-Type: application/json\r\nContent-Length: ${smuggledBody.length}\r\n\r\n${smuggledBody}`;
/** The last request of a connection. */
export const last = 'GET /nowhere HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n';

/** A request with the smuggled one in its body, and its length in `headers` as `{length}`. */
const wrap = (line: string, headers: string, { before = '', after = '' } = {}) =>
  `${line} HTTP/1.1\r\nHost: a\r\n${headers}\r\n${before}{smuggled}${after}`;
/** As one chunk, for a service that reads chunks. */
const asChunk = { before: '{hexLength}\r\n', after: '\r\n0\r\n\r\n' };
/** Behind the last chunk: a request for a service that reads chunks. */
const behindChunks = { before: '0\r\n\r\n' };
const post = 'POST /api/v1/widgets';
const chunked = 'Transfer-Encoding: chunked\r\n';

/** The bytes, with `{variables}`, and the statuses of all answers until the connection is closed. */
type SmugglingAttack = readonly [name: string, bytes: string, expected: readonly number[]];

const lengths: readonly SmugglingAttack[] = [
  ['CL.TE', wrap(post, `Content-Length: {length}\r\n${chunked}`, behindChunks), [400]],
  ['TE.CL', wrap(post, `${chunked}Content-Length: 4\r\n`, asChunk), [400]],
  ['two lengths, the first one short', wrap(post, 'Content-Length: 0\r\nContent-Length: {length}\r\n'), [400]],
  ['two lengths, the second one short', wrap(post, 'Content-Length: {length}\r\nContent-Length: 0\r\n'), [400]],
  ['a length with a line feed', wrap(post, 'Content-Length: {length}\nContent-Length: 0\r\n'), [400]],
  ['a folded length', wrap(post, 'Content-Length:\r\n {length}\r\n'), [400]],
  ['a length and a space before its colon', wrap(post, 'Content-Length : {length}\r\n'), [400]],
  ['a length with a vertical tab', wrap(post, 'Content-Length: \x0b{length}\r\n'), [400]],
  ['HTTP/1.0 with both', wrap(post, `Content-Length: {length}\r\n${chunked}`).replace('/1.1', '/1.0'), [400]],
];

const encodings: readonly SmugglingAttack[] = [
  'Transfer-Encoding: xchunked\r\n',
  'Transfer-Encoding : chunked\r\n',
  'Transfer-Encoding:\x0bchunked\r\n',
  'Transfer-Encoding: "chunked"\r\n',
  'Transfer-Encoding: chunked\x00\r\n',
  'Transfer-Encoding: identity\r\n',
  'Transfer-Encoding: chunked, identity\r\n',
  'Transfer-Encoding: chunked\r\nTransfer-Encoding: x\r\n',
  'Transfer-Encoding: x\r\nTransfer-Encoding: chunked\r\n',
  'Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n',
  'Transfer-Encoding:\r\n chunked\r\n',
  'X: x\nTransfer-Encoding: chunked\r\n',
  'X: x\rTransfer-Encoding: chunked\r\n',
  ' Transfer-Encoding: chunked\r\n',
  'Transfer-\x00Encoding: chunked\r\n',
].flatMap((header): readonly SmugglingAttack[] => [
  [`${JSON.stringify(header)} and a length`, wrap(post, `Content-Length: {length}\r\n${header}`, behindChunks), [400]],
]);

const chunks: readonly SmugglingAttack[] = [
  ['a line feed after the size', wrap(post, chunked, { before: '0\n\r\n' }), [400]],
  ['a line feed in an extension', wrap(post, chunked, { before: '2;\nxx\r\n0\r\n\r\n' }), [400]],
  ['a carriage return in an extension', wrap(post, chunked, { before: '2;a\rb\r\nxx\r\n0\r\n\r\n' }), [400]],
  ['a size of 0x0', wrap(post, chunked, { before: '0x0\r\n\r\n' }), [400]],
  ['a size that wraps around 64 bits', wrap(post, chunked, { before: '10000000000000000\r\n' }), [400]],
  // The caller is refused before the body is read. The mistake in the body gets no second answer.
  ['a chunk longer than its size', wrap(post, chunked, { before: '1\r\nxyz\r\n0\r\n\r\n' }), [403]],
  ['a chunk that ends with a line feed', wrap(post, chunked, { before: '1\r\nx\n0\r\n\r\n' }), [403]],
  ['no size of a chunk', wrap('POST /nowhere', chunked), [404]],
  // Here the mistake is found while the session is looked up.
  [
    'a chunk longer than its size, of a known caller',
    wrap(post, `${credentials}${chunked}`, { before: '1\r\nxyz\r\n0\r\n\r\n' }),
    [400],
  ],
  [
    'no size of a chunk, of a known caller',
    wrap('POST /api/v1/widgets', `${credentials}Content-Type: application/json\r\n${chunked}`),
    [400],
  ],
  ['trailers that end with line feeds', wrap(post, chunked, { before: '0\r\nX: y\n\n' }), [400]],
  [
    'trailers that are credentials',
    `POST /api/v1/widgets HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Type: application/json\r\n${chunked}\r\n2\r\n{}\r\n0\r\n${credentials}\r\n`,
    [403],
  ],
];

/** Refused before the body is read. The body must still not be read as a request. */
const refused: readonly SmugglingAttack[] = [
  ['a caller without a session', 'POST /api/v1/widgets', 403],
  ['an unknown path', 'POST /nowhere', 404],
  ['a method that the path does not support', 'PUT /api/v1/widgets', 405],
  ['a hook with an unknown token', 'POST /api/v1/events/hooks/x', 400],
  ['a GET with a body', 'GET /api/v1/session', 403],
  ['a HEAD with a body', 'HEAD /api/v1/session', 403],
].flatMap(([name, line, status]): readonly SmugglingAttack[] => [
  [`${name}, by length`, `${wrap(String(line), 'Content-Length: {length}\r\n')}${last}`, [Number(status), 404]],
  [`${name}, in a chunk`, `${wrap(String(line), chunked, asChunk)}${last}`, [Number(status), 404]],
]);

const closed: readonly SmugglingAttack[] = [
  [
    'a body above the limit',
    `${wrap('POST /api/v1/session', 'Content-Type: application/json\r\nContent-Length: 70000\r\n')}`,
    [400],
  ],
  ['an unknown Expect', wrap(post, 'Expect: x\r\nContent-Length: {length}\r\n'), [400]],
  ['bytes that are not HTTP', 'nonsense\r\n\r\n{smuggled}', [400]],
  ['headers that are too large', `GET / HTTP/1.1\r\nHost: a\r\nX: ${'x'.repeat(17_000)}\r\n\r\n{smuggled}`, [400]],
  ['HTTP/0.9', 'GET /\r\n{smuggled}', [400]],
  ['HTTP/1.0 without keep-alive', 'GET /nowhere HTTP/1.0\r\n\r\n{smuggled}', [404]],
  ['Connection: close', `${last}{smuggled}`, [404]],
  [
    'an upgrade',
    'GET /nowhere HTTP/1.1\r\nHost: a\r\nConnection: upgrade, close\r\nUpgrade: h2c\r\n\r\n{smuggled}',
    [404],
  ],
  ['CONNECT', 'CONNECT a:80 HTTP/1.1\r\nHost: a\r\n\r\n{smuggled}', []],
];

export const smugglingAttacks: Readonly<Record<string, readonly RawCase[]>> = Object.fromEntries(
  Object.entries({
    'a length that two readers read differently': lengths,
    'a transfer encoding that two readers read differently': encodings,
    'chunks that two readers read differently': chunks,
    'a request that is refused before its body': refused,
    'a request after which the connection ends': closed,
  }).map(([group, rows]) => [
    group,
    rows.map(([name, bytes, statuses]) => ({
      name,
      bytes,
      expected: statuses.map((status) => [status] as const),
      smuggles: true,
    })),
  ]),
);

/** Fills in the hidden request, its length and the credentials. */
export function buildSmugglingBytes(bytes: string, variables: CorpusVariables): Buffer {
  const hidden = expandVariables(smuggled, variables);
  const text = bytes
    .replaceAll('{length}', String(hidden.length))
    .replaceAll('{hexLength}', hidden.length.toString(16))
    .replaceAll('{smuggled}', hidden);
  return Buffer.from(expandVariables(text, variables), 'latin1');
}
