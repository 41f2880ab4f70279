import type { DescribedOperation } from '../api/bad-input/described-operation.ts';
import { fillWithNames, listNames } from './different-names.ts';

/** A request as it goes over the wire. `headers` are added to those of an admin's session. */
export interface NastyRequest {
  readonly name: string;
  readonly query?: string;
  readonly headers?: readonly (readonly [string, string])[];
  readonly body?: string;
  /** Replaces each parameter of the path. */
  readonly parameter?: string;
}

/** Near the limits of the HTTP server: 16 KiB of headers, 8 192 characters of URL; and 64 KiB of body. */
const headerLength = 14_000;
const urlLength = 7_900;
const bodyLength = 65_000;

const fill = (text: string, length: number) => text.repeat(Math.floor(length / text.length));

const headers = (name: string, ...list: (readonly [string, string])[]): NastyRequest => ({ name, headers: list });
const body = (name: string, text: string): NastyRequest => ({ name, body: text });
const query = (name: string, text: string): NastyRequest => ({ name, query: text.slice(0, urlLength) });

const valueNames = listNames(4_000);
/** Node reads 16 KiB of headers. */
const headerNames = listNames(1_800);

/**
 * Requests of at most 64 KiB, each of which costs one part of the service as much as it can. Those without a body of
 * their own have the valid body of the operation, so that they get past its checks.
 */
export function listNastiestRequests(operation: DescribedOperation): NastyRequest[] {
  return [
    headers('a user agent of digits', ['user-agent', `Version/${fill('1', headerLength)}`]),
    headers('a user agent of names', ['user-agent', fill('Version/1 Chrome/ Mobile/ ', headerLength)]),
    headers('many cookies', ['cookie', fill('a=1; ', headerLength)]),
    headers('many different cookies', ['cookie', fillWithNames((name) => `${name}=1; `, headerLength)]),
    headers('many different headers', ...headerNames.map((name) => [`x${name}`, ''] as const)),
    headers('many session cookies', ['cookie', fill('service_console=x; service_sign_in_a=a.b.c; ', headerLength)]),
    headers('many blanks before a token', ['authorization', `Bearer ${fill(' ', headerLength)}x`]),
    headers(
      'many forwarded addresses',
      ['x-forwarded-for', fill('2001:db8::1, ', headerLength / 2)],
      ['forwarded', fill('for="[::1]:1", ', headerLength / 2)],
    ),
    headers(
      'long identifiers',
      ['traceparent', `00-${fill('0', headerLength / 4)}`],
      ['last-event-id', `k.${fill('1', headerLength / 4)}`],
      ['idempotency-key', fill('"', headerLength / 4)],
      ['x-request-id', fill('a', headerLength / 4)],
    ),
    headers(
      'many signatures',
      ['webhook-id', 'm'],
      ['webhook-timestamp', `${Math.floor(Date.now() / 1_000)}`],
      ['webhook-signature', fill('v1,c2lnbmF0dXJl ', headerLength)],
    ),
    headers(
      'many preferences',
      ['accept', fill('a/b;q=0.1,', headerLength / 2)],
      ['accept-encoding', fill('gzip;q=0,', headerLength / 2)],
    ),
    query('many parameters', fill('page=1&a=&', urlLength)),
    query(
      'many different parameters',
      fillWithNames((name) => `${name}&`, urlLength),
    ),
    query('each parameter far too long', spreadOver(operation.query.map(({ name }) => name))),
    query('much percent-encoding', `a=${fill('%F0%9F%98%80', urlLength)}`),
    { name: 'a far page', query: 'page=2147483647&pageSize=200' },
    { name: 'the deepest page', query: 'page=50&pageSize=200' },
    { name: 'a long parameter of the path', parameter: fill('%C3%A9', urlLength) },
    body('deep nesting', `${fill('[', bodyLength / 2)}${fill(']', bodyLength / 2)}`),
    body('many members', `{${valueNames.map((name) => `"${name}":[[]]`).join()}}`),
    body('as many different members as fit', `{${fillWithNames((name) => `"${name}":1,`, bodyLength)}"last":1}`),
    body('a huge number', `{"name":${fill('9', bodyLength)}}`),
    body('many escapes', `{"name":"${fill('\\u0041\\ud83d\\ude00', bodyLength)}"}`),
    body('many repeated members', `{${fill('"name":"a",', bodyLength)}"name":"a"}`),
    ...growMembers(operation),
    ...growObjects(operation.example ?? {}).map(([path, grown]) =>
      body(`${path}: many different members`, JSON.stringify(grown)),
    ),
  ];
}

/** The valid body with more members in one of its objects, for each of its objects, and the path to that object. */
function growObjects(example: unknown, path = ''): (readonly [path: string, grown: unknown])[] {
  if (typeof example !== 'object' || example === null) return [];
  const deeper = Object.entries(example).flatMap(([name, member]) =>
    growObjects(member, `${path}/${name}`).map(([where, grown]) => {
      const copy = Array.isArray(example) ? [...example] : { ...example };
      return [where, Object.assign(copy, { [name]: grown })] as const;
    }),
  );
  const members = Object.fromEntries(valueNames.map((name) => [name, 'updated']));
  return Array.isArray(example) ? deeper : [[path, { ...example, ...members }], ...deeper];
}

function spreadOver(names: readonly string[]): string {
  const length = Math.floor(urlLength / Math.max(1, names.length)) - 20;
  return names.map((name) => `${name}=${fill('1', length)}`).join('&');
}

/** The valid body with one member replaced, for each member: by many short texts, and by one long text. */
function growMembers({ body: schema, example }: DescribedOperation): NastyRequest[] {
  const { properties = {} } = (schema ?? {}) as { readonly properties?: object };
  const names = new Set([...Object.keys(properties), ...Object.keys((example ?? {}) as object)]);
  return [...names].flatMap((name) => {
    const grow = (value: unknown) => JSON.stringify({ ...(example as object), [name]: value });
    return [
      body(`${name}: many texts`, grow(valueNames)),
      body(`${name}: many texts, one level deeper`, grow({ labels: valueNames, widgetIds: valueNames })),
      body(`${name}: a long text`, grow(fill('a@', bodyLength - 1_000))),
    ];
  });
}
