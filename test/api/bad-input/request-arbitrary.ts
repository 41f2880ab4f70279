import fc, { type Arbitrary } from 'fast-check';
import type { DescribedOperation } from './described-operation.ts';
import { anyJson, anyText, canary, memberName, toArbitrary } from './schema-arbitrary.ts';

/** A request whose `{caller}`, `{csrf}` and `{id}` the run replaces by a cookie, a CSRF token and an id. */
export interface GeneratedRequest {
  readonly path: string;
  readonly headers: Readonly<Record<string, string | string[]>>;
  readonly body: string | Buffer | null;
}

type Headers = Readonly<Record<string, string | string[]>>;

const credentials = { cookie: '{caller}', 'x-csrf-token': '{csrf}' };

/** Requests for one operation: most are almost valid, so that they pass the first checks, and some are far from it. */
export function buildRequestArbitrary(operation: DescribedOperation): Arbitrary<GeneratedRequest> {
  return fc
    .record({
      path: buildPath(operation),
      query: buildQuery(operation),
      authHeaders: fc.oneof(
        { weight: 12, arbitrary: fc.constant(credentials) },
        { weight: 3, arbitrary: invalidCredentials },
      ),
      declared: buildHeaders(operation),
      other: fc.oneof({ weight: 3, arbitrary: fc.constant({}) }, { weight: 1, arbitrary: otherHeaders }),
      body: operation.body === null ? unexpectedBody : buildBody(operation),
    })
    .map(({ path, query, authHeaders, declared, other, body }) => ({
      path: query === '' ? path : `${path}?${query}`,
      headers: { ...authHeaders, ...body.headers, ...declared, ...other },
      body: body.bytes,
    }));
}

const latin1 = fc
  .array(fc.integer({ min: 0x20, max: 0xff }), { maxLength: 30 })
  .map((codes) => String.fromCharCode(...codes.filter((code) => code !== 0x7f)));
const headerText = fc.oneof(
  latin1.map((rest) => `${canary}${rest}`),
  fc.constantFrom('', ' ', '"', '""', `${canary},${canary}`, canary.repeat(30)),
);
const headerValue: Arbitrary<string | string[]> = fc.oneof(
  { weight: 5, arbitrary: headerText },
  { weight: 1, arbitrary: fc.array(headerText, { minLength: 2, maxLength: 3 }) },
);

const invalidCredentials: Arbitrary<Headers> = fc.oneof(
  fc.constantFrom<Headers>(
    {},
    { cookie: '{caller}' },
    { 'x-csrf-token': '{csrf}' },
    { cookie: '{caller}; {caller}', 'x-csrf-token': '{csrf}' },
    { ...credentials, origin: `https://${canary}.example` },
    { ...credentials, 'sec-fetch-site': 'cross-site' },
    { ...credentials, authorization: `Bearer wpt_${canary}` },
    { ...credentials, authorization: `Basic ${canary}` },
  ),
  fc.record({ cookie: headerValue, 'x-csrf-token': headerValue }),
  fc.record({ cookie: headerText.map((value) => `service_console=${value}`), authorization: headerValue }),
);

const otherHeaders: Arbitrary<Headers> = fc.dictionary(
  fc.constantFrom(
    'accept',
    'accept-encoding',
    'content-encoding',
    'content-type',
    'expect',
    'forwarded',
    'host',
    'idempotency-key',
    'if-match',
    'last-event-id',
    'origin',
    'range',
    'sec-fetch-site',
    'traceparent',
    'user-agent',
    'webhook-id',
    'webhook-signature',
    'webhook-timestamp',
    'x-forwarded-for',
    'x-http-method-override',
  ),
  headerValue,
  { maxKeys: 3, noNullPrototype: true },
);

function buildHeaders({ headers }: DescribedOperation): Arbitrary<Headers> {
  const entries = headers.map(({ name, schema }) => [
    name.toLowerCase(),
    fc.oneof({ weight: 3, arbitrary: toArbitrary(schema).map(toHeaderValue) }, { weight: 1, arbitrary: headerValue }),
  ]);
  const arbitraries = Object.fromEntries(entries) as Record<string, Arbitrary<string | string[]>>;
  // A header is absent rather than undefined.
  return fc.record(arbitraries, { requiredKeys: [], noNullPrototype: true }) as Arbitrary<Headers>;
}

/** Replaces the characters that a header cannot carry: control characters and those outside Latin-1. */
function toHeaderValue(value: unknown): string {
  return String(value).replaceAll(/[^ -~\xa0-\xff]/g, '?');
}

const segment = fc.oneof(
  { weight: 12, arbitrary: fc.constant('{id}') },
  { weight: 3, arbitrary: fc.uuid() },
  { weight: 2, arbitrary: anyText.map((value) => encodeURIComponent(value.toWellFormed().slice(0, 500))) },
  {
    weight: 1,
    arbitrary: fc.constantFrom('', '{id}%00', '{id}%20', '%zz', '%ff', '%2f', '$where', '__proto__'),
  },
);

function buildPath({ path }: DescribedOperation): Arbitrary<string> {
  const parts = path.split('/').map((part) => (part.startsWith('{') ? segment : fc.constant(part)));
  return fc.tuple(...parts).map((segments) => segments.join('/'));
}

const queryText = fc.oneof(
  { weight: 4, arbitrary: anyText.map((value) => encodeURIComponent(value.toWellFormed().slice(0, 500))) },
  {
    weight: 1,
    arbitrary: fc.constantFrom('%', '%zz', '%ff', '0', '-1', '1.5', '1e9', '1&page=1', '99999999999999999999'),
  },
);

function buildQuery({ query }: DescribedOperation): Arbitrary<string> {
  const names = fc.oneof(fc.constantFrom('page', ...query.map(({ name }) => name)), memberName.map(encodeName));
  const invalid = fc.array(fc.tuple(names, queryText), { maxLength: 3 });
  const valid = fc.tuple(
    ...query.map(({ name, schema }) =>
      fc.option(toArbitrary(schema).map((value) => [name, encodeURIComponent(String(value))])),
    ),
  );
  return fc
    .oneof(
      { weight: query.length === 0 ? 6 : 1, arbitrary: fc.constant([]) },
      { weight: 2, arbitrary: valid },
      { weight: query.length === 0 ? 1 : 2, arbitrary: invalid },
    )
    .map((pairs) => pairs.flatMap((pair) => (pair === null ? [] : [pair.join('=')])).join('&'));
}

function encodeName(name: string): string {
  return encodeURIComponent(name.toWellFormed());
}

interface GeneratedBody {
  readonly headers: Headers;
  readonly bytes: string | Buffer | null;
}

const json = { 'content-type': 'application/json' };

/** Bodies for an operation without a body: usually none. */
const unexpectedBody: Arbitrary<GeneratedBody> = fc.oneof(
  { weight: 8, arbitrary: fc.constant({ headers: {}, bytes: null }) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(json, { 'content-type': 'text/plain' }).map((headers) => ({ headers, bytes: null })),
  },
  { weight: 1, arbitrary: anyJson.map((value) => ({ headers: json, bytes: JSON.stringify(value) })) },
);

function buildBody({ body }: DescribedOperation): Arbitrary<GeneratedBody> {
  const valid = toArbitrary(body ?? {});
  const validText = valid.map((value) => JSON.stringify(value));
  const almostValidText = fc
    .tuple(valid, fc.array(memberChange, { minLength: 1, maxLength: 3 }))
    .map(([value, changes]) => {
      let changed = value;
      for (const [index, name, replacement] of changes) changed = replaceAt(changed, index, name, replacement);
      return JSON.stringify(changed) ?? '';
    });
  const headers = fc.oneof(
    { weight: 15, arbitrary: fc.constant<Headers>(json) },
    {
      weight: 1,
      arbitrary: fc.constantFrom<Headers>(
        {},
        { 'content-type': 'text/plain' },
        { 'content-type': 'application/json; charset=utf-16' },
        { ...json, 'content-encoding': 'gzip' },
      ),
    },
  );
  const bytes: Arbitrary<string | Buffer | null> = fc.oneof(
    { weight: 5, arbitrary: validText },
    { weight: 9, arbitrary: almostValidText },
    { weight: 2, arbitrary: anyJson.map((value) => JSON.stringify(value)) },
    { weight: 3, arbitrary: fc.tuple(validText, corruption).map(([text, corrupt]) => corrupt(text)) },
    { weight: 1, arbitrary: fc.uint8Array({ maxLength: 60 }).map((array) => Buffer.from(array)) },
  );
  return fc.record({ headers, bytes }, { noNullPrototype: true });
}

const memberChange = fc.tuple(fc.nat(20), memberName, fc.oneof(anyJson, fc.constant(undefined)));

/**
 * Replaces or adds a member at `index`; an index of 20 replaces the whole value, and one above 10 goes one level
 * deeper. `undefined` removes the member from the JSON text.
 */
function replaceAt(value: unknown, index: number, name: string, replacement: unknown): unknown {
  if (typeof value !== 'object' || value === null || index === 20) return replacement;
  const entries = Object.entries(value);
  const at = index % (entries.length + 1);
  const [key, member] = entries[at] ?? [name, undefined];
  const isNested = index > 10 && typeof member === 'object';
  const changed = isNested ? replaceAt(member, index - 11, name, replacement) : replacement;
  if (Array.isArray(value)) return [...value.slice(0, at), changed, ...value.slice(at + 1)];
  return Object.fromEntries([...entries.filter(([existing]) => existing !== key), [key, changed]]);
}

/** Functions that corrupt or extend the text of a body. */
const corruption: Arbitrary<(text: string) => string | Buffer> = fc.oneof(
  fc.nat(100).map((at) => (text: string) => text.slice(0, at)),
  fc
    .tuple(fc.nat(100), fc.constantFrom('\u0000', '{', ']', ',', '"', '\\', '\ufeff', '1e400', '\\ud800', '__proto__'))
    .map(
      ([at, insertion]) =>
        (text: string) =>
          `${text.slice(0, at)}${insertion}${text.slice(at)}`,
    ),
  fc.nat(100).map((at) => (text: string) => {
    const bytes = Buffer.from(text);
    bytes[at] = 0xff;
    return bytes;
  }),
  fc.constantFrom<(text: string) => string | Buffer>(
    (text) => `\ufeff${text}`,
    (text) => `${text}${text}`,
    (text) => Buffer.from(text, 'utf16le'),
    (text) => text.replace('{', '{"__proto__":{"a":1},'),
    (text) => text.replace('{', '{"constructor":{"prototype":1},'),
    (text) => text.replace('{', `{"deep":${'['.repeat(40)}${']'.repeat(40)},`),
    (text) => text.replace('{', `{"deep":${'['.repeat(5_000)}`),
    (text) => text.replace('{', `{"wide":[${'0,'.repeat(5_000)}0],`),
    (text) => text.replace('{', `{${' '.repeat(66_000)}`),
  ),
);
