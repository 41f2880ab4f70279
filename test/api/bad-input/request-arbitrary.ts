import fc, { type Arbitrary } from 'fast-check';
import type { DescribedOperation } from './described-operation.ts';
import { anyJson, anyText, arbitraryOf, canary, memberName } from './schema-arbitrary.ts';

/** A request before the run has put its own secrets and ids in the places of `{caller}`, `{csrf}` and `{id}`. */
export interface GeneratedRequest {
  readonly path: string;
  readonly headers: Readonly<Record<string, string | string[]>>;
  readonly body: string | Buffer | null;
}

type Headers = Readonly<Record<string, string | string[]>>;

const credentials = { cookie: '{caller}', 'x-csrf-token': '{csrf}' };

/** Requests for one operation: most of them nearly right, so that they get far, and some that are nothing like it. */
export function requestOf(operation: DescribedOperation): Arbitrary<GeneratedRequest> {
  return fc
    .record({
      path: pathOf(operation),
      query: queryOf(operation),
      who: fc.oneof({ weight: 12, arbitrary: fc.constant(credentials) }, { weight: 3, arbitrary: wrongCredentials }),
      declared: headersOf(operation),
      other: fc.oneof({ weight: 3, arbitrary: fc.constant({}) }, { weight: 1, arbitrary: otherHeaders }),
      body: operation.body === null ? bodyOfNothing : bodyOf(operation),
    })
    .map(({ path, query, who, declared, other, body }) => ({
      path: query === '' ? path : `${path}?${query}`,
      headers: { ...who, ...body.headers, ...declared, ...other },
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

const wrongCredentials: Arbitrary<Headers> = fc.oneof(
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

function headersOf({ headers }: DescribedOperation): Arbitrary<Headers> {
  const sent = headers.map(({ name, schema }) => [
    name.toLowerCase(),
    fc.oneof({ weight: 3, arbitrary: arbitraryOf(schema).map(asHeader) }, { weight: 1, arbitrary: headerValue }),
  ]);
  const all = Object.fromEntries(sent) as Record<string, Arbitrary<string | string[]>>;
  // A header is left out, and never undefined.
  return fc.record(all, { requiredKeys: [], noNullPrototype: true }) as Arbitrary<Headers>;
}

/** A header holds Latin-1 without control characters. */
function asHeader(value: unknown): string {
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

function pathOf({ path }: DescribedOperation): Arbitrary<string> {
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

function queryOf({ query }: DescribedOperation): Arbitrary<string> {
  const names = fc.oneof(fc.constantFrom('page', ...query.map(({ name }) => name)), memberName.map(encodeName));
  const wrong = fc.array(fc.tuple(names, queryText), { maxLength: 3 });
  const right = fc.tuple(
    ...query.map(({ name, schema }) =>
      fc.option(arbitraryOf(schema).map((value) => [name, encodeURIComponent(String(value))])),
    ),
  );
  return fc
    .oneof(
      { weight: query.length === 0 ? 6 : 1, arbitrary: fc.constant([]) },
      { weight: 2, arbitrary: right },
      { weight: query.length === 0 ? 1 : 2, arbitrary: wrong },
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

/** A body for an operation that takes none. */
const bodyOfNothing: Arbitrary<GeneratedBody> = fc.oneof(
  { weight: 8, arbitrary: fc.constant({ headers: {}, bytes: null }) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(json, { 'content-type': 'text/plain' }).map((headers) => ({ headers, bytes: null })),
  },
  { weight: 1, arbitrary: anyJson.map((value) => ({ headers: json, bytes: JSON.stringify(value) })) },
);

function bodyOf({ body }: DescribedOperation): Arbitrary<GeneratedBody> {
  const valid = arbitraryOf(body ?? {});
  const right = valid.map((value) => JSON.stringify(value));
  const nearlyRight = fc.tuple(valid, fc.array(change, { minLength: 1, maxLength: 3 })).map(([value, changes]) => {
    let changed = value;
    for (const [where, name, by] of changes) changed = changeAt(changed, where, name, by);
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
    { weight: 5, arbitrary: right },
    { weight: 9, arbitrary: nearlyRight },
    { weight: 2, arbitrary: anyJson.map((value) => JSON.stringify(value)) },
    { weight: 3, arbitrary: fc.tuple(right, spoiling).map(([text, spoil]) => spoil(text)) },
    { weight: 1, arbitrary: fc.uint8Array({ maxLength: 60 }).map((array) => Buffer.from(array)) },
  );
  return fc.record({ headers, bytes }, { noNullPrototype: true });
}

const change = fc.tuple(fc.nat(20), memberName, fc.oneof(anyJson, fc.constant(undefined)));

/** Puts a value in the place of a member, of one within it, or of none there is; `undefined` takes the member out. */
function changeAt(value: unknown, where: number, name: string, by: unknown): unknown {
  if (typeof value !== 'object' || value === null || where === 20) return by;
  const entries = Object.entries(value);
  const at = where % (entries.length + 1);
  const chosen = entries[at];
  const [key, member] = chosen ?? [name, undefined];
  const changed = where > 10 && typeof member === 'object' ? changeAt(member, where - 11, name, by) : by;
  if (Array.isArray(value)) return [...value.slice(0, at), changed, ...value.slice(at + 1)];
  return Object.fromEntries([...entries.filter(([each]) => each !== key), [key, changed]]);
}

/** What breaks the text of a body, or stretches it. */
const spoiling: Arbitrary<(text: string) => string | Buffer> = fc.oneof(
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
