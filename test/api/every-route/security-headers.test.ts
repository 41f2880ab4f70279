import { afterAll, describe, expect, test } from 'vitest';
import { openAttackedApp } from '../../attack/attacked-app.ts';
import { makeAuthHeaders } from '../../corpus/corpus-variables.ts';
import { openSharedService } from '../../drivers/app/open-shared.ts';
import type { TestResponse } from '../../drivers/app/test-app.ts';
import { openStream } from '../../drivers/streams/stream-client.ts';
import { exchange } from '../bad-input/raw-connection.ts';

const dataPolicy = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
/** What each response has. Pages have another policy, and streams may be cached by nobody and read by everybody. */
const expected = {
  'content-security-policy': dataPolicy,
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
  'cache-control': 'no-store',
  'x-robots-tag': 'noindex',
} as const;

/** No browser shows a response to a hook: it has only the headers that programs and caches heed. */
const forPostedHooks = {
  'content-security-policy': undefined,
  'referrer-policy': undefined,
  'cross-origin-resource-policy': undefined,
  'x-robots-tag': undefined,
};

/** Pages of any origin may read a stream. */
const forStreams = { 'cross-origin-resource-policy': 'cross-origin' };

const service = await openAttackedApp({
  SECURITY_CONTACT: ['mailto:security@example.com'],
});
afterAll(() => service.close());

const hookRoute = '/api/v1/events/hooks/:token';
const isPage = (url: string) =>
  url === '/docs' || ['/docs/runbooks', '/console/', '/problems'].some((start) => url.startsWith(start));

/** Everybody gets the same, until another version of the service runs. */
const isKept = (url: string) => /^\/docs\/[^/]+\.(?:js|css|svg)$|^\/api\/v1\/(?:openapi|asyncapi)\.json$/.test(url);

function expectHeaders({ headers }: Pick<TestResponse, 'headers'>, what: string, changes: object = {}): void {
  const found = Object.fromEntries(Object.keys(expected).map((name) => [name, headers[name]]));
  expect({ what, ...found }).toEqual({ what, ...expected, ...changes });
}

describe('the security headers', () => {
  test('are in every response of every route: without a session, and with one', async () => {
    expect(service.routes.length).toBeGreaterThan(40);
    const viewer = makeAuthHeaders('viewer', service.variables);
    for (const headers of [{}, { cookie: 'service_console=x' }, viewer, makeAuthHeaders('admin', service.variables)]) {
      for (const { method, url } of service.routes) {
        // The admin's sessions must last to the end of this test.
        if (method === 'DELETE' && url.startsWith('/api/v1/session') && headers !== viewer) continue;
        const path = url.replaceAll(/:\w+/g, '0197a0b0-0000-7000-8000-00000000abcd');
        const response = await service.inject({ method: method as 'GET', url: path, headers });
        const isFound = response.statusCode === 200;
        const isPostedHook = method === 'POST' && url === hookRoute;
        const policy = response.headers['content-security-policy'];
        expectHeaders(response, `${method} ${url}`, {
          ...(isPage(url) && isFound ? { 'content-security-policy': policy } : {}),
          ...(isKept(url) ? { 'cache-control': 'no-cache' } : {}),
          ...(url === '/api/v1/session/stream' && isFound ? { 'cache-control': 'no-cache,no-transform' } : {}),
          ...(url === '/api/v1/events/:token' ? forStreams : {}),
          ...(isPostedHook ? forPostedHooks : {}),
        });
        if (isPostedHook) continue;
        for (const directive of ["default-src 'none'", "base-uri 'none'", "frame-ancestors 'none'"]) {
          expect(policy, `${method} ${url}`).toContain(directive);
        }
      }
    }
  });

  test.each([
    ['an unknown path', 'GET', '/nowhere'],
    ['another method', 'PUT', '/api/v1/widgets'],
    ['a path that cannot be decoded', 'GET', '/%zz'],
    ['a path that is too long', 'GET', `/${'x'.repeat(9_000)}`],
    ['a GET at the address of a hook', 'GET', '/api/v1/events/hooks/x'],
  ] as const)('are in the refusal of %s', async (what, method, url) => {
    expectHeaders(await service.inject({ method, url }), what);
  });

  test('are fewer in the responses to a posted hook, accepted or not', async () => {
    const url = service.fill('/api/v1/events/hooks/{hookToken}');
    for (const [path, body, status] of [
      [url, { kind: 'updated', occurredAt: '2026-01-05T16:00:05.123Z' }, 202],
      [url, {}, 400],
      ['/api/v1/events/hooks/x', {}, 400],
    ] as const) {
      const response = await service.post(path, body);
      expect(response.statusCode).toBe(status);
      expectHeaders(response, `POST ${path}: ${status}`, forPostedHooks);
    }
  });

  test.each([
    ['bytes that are not HTTP', 'nonsense\r\n\r\n'],
    ['headers that are too large', `GET / HTTP/1.1\r\nHost: a\r\nX: ${'x'.repeat(17_000)}\r\n\r\n`],
    ['an unknown Expect', 'GET / HTTP/1.1\r\nHost: a\r\nExpect: x\r\nConnection: close\r\n\r\n'],
    ['two hosts', 'GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\nConnection: close\r\n\r\n'],
    [
      'invalid JSON',
      'POST /api/v1/session HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: 1\r\n\r\n{',
    ],
  ])('are in the refusal of %s', async (what, bytes) => {
    const [response] = await exchange(service.port, bytes);
    expectHeaders({ headers: response?.headers ?? {} }, what);
  });
});

describe('Clear-Site-Data', () => {
  const read = ({ headers }: TestResponse) => headers['clear-site-data'];

  test('clears the cache, and neither cookies nor storage, when a session of this browser ends', async () => {
    for (const url of ['/api/v1/session', '/api/v1/sessions']) {
      const { headers } = await service.signedIn('viewer');
      const response = await service.delete(url, headers);
      expect(response.statusCode).toBe(204);
      // The cookies would include those of sibling hosts; the storage is that of the whole
      // origin.
      expect(read(response), url).toBe('"cache"');
    }
    const { headers } = await service.signedIn('viewer');
    const { items } = (await service.get('/api/v1/sessions', headers)).json();
    const own = await service.delete(`/api/v1/sessions/${items[0].id}`, headers);
    expect([own.statusCode, read(own)]).toEqual([204, '"cache"']);
  });

  test('is in no other response', async () => {
    const { headers } = await service.signedIn('viewer');
    expect(read(await service.delete('/api/v1/session', {}))).toBeUndefined();
    expect(read(await service.get('/api/v1/session', headers))).toBeUndefined();
    expect(read(await service.get('/docs'))).toBeUndefined();
  });
});

describe('a stream', async () => {
  const streams = await openSharedService();

  /** A stream is sent through proxies as it is. */
  const asStream = { ...forStreams, 'cache-control': 'no-cache,no-transform' };

  test('has them, and pages of other origins may read it, also its refusals', async () => {
    const { url } = await streams.issueStreamUrl();
    const stream = await openStream(url);
    stream.close();
    expectHeaders({ headers: stream.headers }, 'a stream', asStream);
    for (const [address, method, changes] of [
      [url, 'HEAD', asStream],
      [url, 'OPTIONS', forStreams],
      [url, 'POST', forStreams],
      [`${url}x`, 'GET', forStreams],
    ] as const) {
      const response = await fetch(address, { method });
      expectHeaders({ headers: Object.fromEntries(response.headers) }, `${method} ${response.status}`, changes);
      expect(response.headers.get('access-control-allow-origin')).toBe('*');
    }
  });
});
