import { setImmediate as nextTurn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { gzipSync } from 'node:zlib';
import { afterAll, describe, expect, test } from 'vitest';
import { exchange } from '../api/bad-input/raw-connection.ts';
import { makeAuthHeaders } from '../corpus/corpus-variables.ts';
import type { TestResponse, TestRoute } from '../drivers/app/test-app.ts';
import { openAttackedApp } from './attacked-app.ts';

/** `test/corpus` tries many more bodies and queries, on single operations. Here each one goes to every operation. */
const target = await openAttackedApp();
afterAll(() => target.close());

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** The memory of a buffer is free only some turns of the event loop after its object. */
async function measureBytesInUse(): Promise<number> {
  for (let collections = 0; collections < 5; collections += 1) {
    collectGarbage();
    await nextTurn();
  }
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

const bodyMethods = ['POST', 'PUT', 'PATCH'];
const listRoutes = (isWanted: (route: TestRoute) => boolean) => {
  const routes = target.routes.filter(({ method, url }) => isWanted({ method, url } as TestRoute));
  expect(routes.length).toBeGreaterThan(10);
  return routes;
};

/** A path with the token of an integration, or an id that does not exist. */
function fillPath({ url }: Pick<TestRoute, 'url'>): string {
  const token = target.variables.hookToken ?? '';
  return url.replace(':token', token).replaceAll(/:\w+/g, '0197a0b0-0000-7000-8000-00000000abcd');
}

function send(route: TestRoute, payload: string | Buffer, headers: Record<string, string> = {}): Promise<TestResponse> {
  return target.inject({
    method: route.method as 'POST',
    url: fillPath(route),
    headers: { ...makeAuthHeaders('admin', target.variables), 'content-type': 'application/json', ...headers },
    payload,
  });
}

function expectRefusal(response: TestResponse, what: string): void {
  expect({ what, status: response.statusCode }).toEqual({ what, status: 400 });
  expect(response.headers['content-type'], what).toBe('application/problem+json');
}

const nest = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`;
const latin1 = (text: string) => Buffer.from(text, 'latin1');
const gzip = { 'content-encoding': 'gzip' };

/** Bodies that no operation accepts, not even as the payload of a hook. */
const bodies: Readonly<Record<string, readonly [string | Buffer, Record<string, string>?]>> = {
  'half of a text': ['{"a":"'],
  '100 000 nested arrays': [nest(100_000)],
  '32 000 nested arrays': [nest(32_000)],
  '10 000 nested objects that are not closed': ['{"a":'.repeat(10_000)],
  '65 000 open brackets': ['['.repeat(65_000)],
  'a lone surrogate': ['{"a":"\\ud800"}'],
  'a lone surrogate as a name': ['{"\\udfff":1}'],
  'an overlong slash': [latin1('{"a":"\xc0\xaf"}')],
  'an overlong NUL in three bytes': [latin1('{"a":"\xe0\x80\x80"}')],
  'a character beyond Unicode': [latin1('{"a":"\xf4\x90\x80\x80"}')],
  'half of a character': [latin1('{"a":"\xf0\x9f')],
  'UTF-32': [latin1('\xff\xfe\0\0{\0\0\0}\0\0\0')],
  'UTF-7': ['+AHsAfQ-'],
  'two byte order marks': ['\ufeff\ufeff{}'],
  NaN: ['{"a":NaN}'],
  'a bomb of 40 MiB in gzip': [gzipSync(Buffer.alloc(40 * 1_048_576)), gzip],
  'a small object in gzip': [gzipSync('{}'), gzip],
  'deflate, then gzip': ['{}', { 'content-encoding': 'deflate, gzip' }],
  'a form': ['a=1', { 'content-type': 'application/x-www-form-urlencoded' }],
  'JSON as text': ['{}', { 'content-type': 'text/plain' }],
  'JSON as a form': ['{}', { 'content-type': 'application/x-www-form-urlencoded' }],
  'a multipart form': ['--x\r\n\r\n{}\r\n--x--', { 'content-type': 'multipart/form-data; boundary=x' }],
  'XML with an entity': ['<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]><x>&e;</x>'],
  'XML as XML': ['<x/>', { 'content-type': 'application/xml' }],
  YAML: ['a: !!js/function "function(){}"'],
  'the charset UTF-7': ['{}', { 'content-type': 'application/json; charset=utf-7' }],
};

/** Valid JSON. Operations that take no such member refuse it; a hook takes it as its payload. */
const names = [
  '__proto__',
  'constructor',
  'prototype',
  '\\u005f_proto__',
  'toString',
  'hasOwnProperty',
  '__defineGetter__',
];
const pollutions = names.flatMap((name) => [
  `{"${name}":{"prototype":{"polluted":true},"polluted":true}}`,
  `{"kind":"updated","occurredAt":"2026-03-01T10:00:00Z","payload":{"${name}":{"prototype":{"polluted":true},"polluted":true}}}`,
  `{"name":"x","owner":{"${name}":{"polluted":true}},"filter":{"${name}":{"polluted":true}}}`,
]);

/** What a polluted prototype would change. */
const readPrototypes = () =>
  [Object, Array, String, Function].map((type) => Object.getOwnPropertyNames(type.prototype).length);

describe('JSON', () => {
  test.each(Object.keys(bodies))('every operation with a body returns 400 for %s', async (name) => {
    const [body, headers] = bodies[name]!;
    for (const route of listRoutes(({ method }) => bodyMethods.includes(method))) {
      const response = await send(route, body, headers);
      expectRefusal(response, `${route.method} ${route.url}`);
      if (headers !== undefined)
        expect(['unsupported-media-type', 'payload-too-large']).toContain(response.json().code);
    }
  });

  test('no name of a member pollutes a prototype', async () => {
    const before = readPrototypes();
    for (const route of listRoutes(({ method }) => bodyMethods.includes(method))) {
      for (const body of pollutions) {
        const { statusCode } = await send(route, body);
        expect([200, 201, 202, 400, 404], `${route.method} ${route.url} ${body}`).toContain(statusCode);
      }
    }
    expect(readPrototypes()).toEqual(before);
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });

  test('numbers of any size are refused where a number is expected', async () => {
    for (const number of ['1e400', '-1e400', '9'.repeat(10_000), '2e308', '0.5e1000']) {
      for (const body of [`{"overlapSeconds":${number}}`, `{"name":"x","ratePerSecond":${number}}`]) {
        const path = body.includes('overlap') ? '/api/v1/integrations/{integrationsId}/rotate' : '/api/v1/integrations';
        const route = { method: 'POST', url: target.fill(path) } as TestRoute;
        expectRefusal(await send(route, body), body.slice(0, 60));
      }
    }
  });

  test('a flood of deep and broken bodies leaves no memory behind', async () => {
    const flood = async () => {
      const attacks = [nest(32_000), '['.repeat(65_000), '{"a":'.repeat(10_000), `[${'0,'.repeat(30_000)}0]`];
      const path = { method: 'POST', url: '/api/v1/widgets' } as TestRoute;
      for (let round = 0; round < 25; round += 1) await Promise.all(attacks.map((body) => send(path, body)));
    };
    await flood();
    const beforeBytes = await measureBytesInUse();
    await flood();
    // The bodies were 6 MB, and their objects would be ten times as much. The log lines of the test stay.
    expect((await measureBytesInUse()) - beforeBytes).toBeLessThan(1_048_576);
  });
});

const queries = [
  'page=1&page=2',
  'page[]=1',
  'page[$gt]=0',
  'page=NaN',
  'page=1e9',
  'page=-1',
  'page=9999999999999999',
  'pageSize=1e9',
  'pageSize=1000000000',
  'pageSize=Infinity',
  'limit=1e9',
  'page=1;page=2',
  'page=%00',
  'page=%ff',
  'page=%E2%80%A8',
  '__proto__=1',
  '__proto__[polluted]=1',
  'constructor[prototype][polluted]=1',
  'hasOwnProperty=1',
  '$where=1',
  `page=${'1'.repeat(7_000)}`,
  `${'a&'.repeat(4_000)}a`,
];

describe('queries', () => {
  test('every list refuses repeated, unknown, forged and huge parameters', async () => {
    const headers = makeAuthHeaders('admin', target.variables);
    const get = (url: string) => target.get(url, headers);
    const pages = await Promise.all(
      listRoutes(({ method }) => method === 'GET').map(async (route) => {
        const path = fillPath(route).replace(/(integrations|subscriptions)\/[^/]+/, (_, kind: string) => {
          return `${kind}/${target.variables[`${kind}Id`]}`;
        });
        const { statusCode, body } = await get(`${path}?page=1&pageSize=1`);
        // The OpenAPI document only describes pages.
        return statusCode === 200 && !path.endsWith('.json') && body.includes('"totalPages"') ? [path] : [];
      }),
    );
    const lists = pages.flat();
    expect(lists.length).toBeGreaterThanOrEqual(7);
    for (const path of lists) {
      for (const query of queries) expectRefusal(await get(`${path}?${query}`), `${path}?${query.slice(0, 60)}`);
    }
  });

  test('every other operation ignores or refuses them', async () => {
    const headers = makeAuthHeaders('viewer', target.variables);
    for (const route of listRoutes(({ method }) => method === 'GET')) {
      for (const query of queries) {
        const { statusCode } = await target.get(`${fillPath(route)}?${query}`, headers);
        expect(statusCode, `${route.url}?${query.slice(0, 60)}`).toBeLessThan(500);
      }
    }
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });

  test.each([
    ['a query', `/api/v1/widgets?page=${'1'.repeat(1_048_576)}`],
    ['a path', `/${'a/'.repeat(524_288)}`],
    ['a path of dots', `/api/v1/${'../'.repeat(349_525)}`],
  ])('%s of 1 MiB gets at most a 400, and the connection ends', async (_, path) => {
    // The service closes before it has read all of it, which resets the connection.
    const request = `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`;
    const responses = await exchange(target.port, request).catch(() => []);
    expect([[], [400]]).toContainEqual(responses.map(({ status }) => status));
    await target.expectHonestAnswer();
  });
});

describe('paths', () => {
  test.each([
    '//api/v1/session',
    '/api/v1//session',
    '/api/v1/session/',
    '/api/v1/session/.',
    '/api/v1/users/../session',
    '/api/v1/users/%2e%2e/session',
    '/api/v1/users/..%2fsession',
    '/api/v1/users/%252e%252e/session',
    '/api/v1/users/..;/session',
    '/api/v1\\session',
    '/api/v1/session%00',
    '/api/v1/session%00.html',
    '/api/v1/session%0d%0aX-Forged:1',
    '/api/v1/session;a=b',
    '/api/v1/%c0%ae%c0%ae/session',
    '/docs/../api/v1/session',
    '/docs/%2e%2e/%2e%2e/etc/passwd',
    '/docs/..%2f..%2fpackage.json',
    '/docs/%5c..%5cpackage.json',
    '/docs/page.ts',
    '/.well-known/../api/v1/session',
  ])('%s is no other path', async (path) => {
    const cookie = target.variables.adminCookie ?? '';
    const head = `GET ${path} HTTP/1.1\r\nHost: a\r\nCookie: ${cookie}\r\nConnection: close\r\n\r\n`;
    const [response, ...more] = await exchange(target.port, head);
    expect(more).toEqual([]);
    expect([400, 404]).toContain(response?.status);
    expect(response?.headers).not.toHaveProperty('x-forged');
  });
});

test('nothing failed inside the service', () => {
  expect(target.logLines.filter((line) => /"status":5\d\d|"level":"(error|fatal)"/.test(line))).toEqual([]);
});
