import type { TrustedProxies } from '@widget-service/api/http/forwarding.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { exchange } from '../api/bad-input/raw-connection.ts';
import { makeAuthHeaders } from '../corpus/corpus-variables.ts';
import { type AttackedApp, openAttackedApp } from './attacked-app.ts';

/**
 * Headers by which some servers change the method, the address, the scheme or the client of a request. What trusted
 * proxies may set is in `test/api/every-route/trusted-proxies.test.ts`.
 */
let target: AttackedApp;
beforeAll(async () => {
  target = await openAttackedApp({ docsEnabled: true });
});
afterAll(() => target.close());

const asAdmin = () => makeAuthHeaders('admin', target.variables);
const peer = '203.0.113.9';
const proxy = '10.0.0.7';

describe('a method that is not the one of the request line', () => {
  const names = [
    'x-http-method-override',
    'x-http-method',
    'x-method-override',
    '_method',
    'x-original-method',
    'x-forwarded-method',
  ];

  test.each(names)('%s has no effect', async (name) => {
    const url = `/api/v1/subscriptions/${target.variables.subscriptionsId}`;
    const read = await target.inject({ method: 'GET', url, headers: { ...asAdmin(), [name]: 'DELETE' } });
    expect(read.statusCode).toBe(200);
    const post = await target.inject({ method: 'POST', url, headers: { ...asAdmin(), [name]: 'DELETE' } });
    expect(post.statusCode).toBe(405);
    const head = await target.inject({
      method: 'GET',
      url: '/api/v1/session',
      headers: { ...asAdmin(), [name]: 'HEAD' },
    });
    expect(head.json()).toHaveProperty('csrfToken');
    expect((await target.inject({ method: 'GET', url, headers: asAdmin() })).statusCode).toBe(200);
  });

  test('a parameter has no effect either', async () => {
    const url = `/api/v1/subscriptions/${target.variables.subscriptionsId}?_method=DELETE&method=DELETE`;
    const { statusCode } = await target.inject({ method: 'POST', url, headers: asAdmin() });
    expect(statusCode).toBe(405);
  });
});

describe('an address that is not the one of the request line', () => {
  const names = [
    'x-original-url',
    'x-rewrite-url',
    'x-forwarded-uri',
    'x-forwarded-path',
    'x-forwarded-prefix',
    'x-original-uri',
    'x-envoy-original-path',
    'content-location',
    'referer',
  ];

  test.each(names)('%s has no effect', async (name) => {
    for (const path of ['/api/v1/users', 'https://evil.example/api/v1/users', '//evil.example', '/../..', '\\\\evil']) {
      const { variables } = target;
      const headers = { ...makeAuthHeaders('viewer', variables), [name]: path };
      const shown = await target.inject({ method: 'GET', url: '/api/v1/session', headers });
      expect(shown.json()).toHaveProperty('csrfToken');
      expect((await target.inject({ method: 'GET', url: '/nowhere', headers })).statusCode).toBe(404);
      const root = await target.inject({ method: 'GET', url: '/', headers });
      expect(root.headers.location).toBe('console/');
    }
  });

  test('an absolute target does not replace the host', async () => {
    const body = '{"name":"screen"}';
    const { variables } = target;
    const [response] = await exchange(
      target.port,
      `POST http://evil.example/api/v1/subscriptions HTTP/1.1\r\nHost: widgets.example\r\nConnection: close\r\nCookie: ${variables.adminCookie}\r\nX-Csrf-Token: ${variables.adminCsrf}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    );
    expect(response?.status).toBe(201);
    expect(JSON.parse(response?.body ?? '').url).toMatch(/^http:\/\/widgets\.example\//);
  });
});

/** Every header that some server, proxy or network believes. */
const forgedOrigins: Readonly<Record<string, string>> = {
  forwarded: 'for=198.51.100.7;host=evil.example;proto=https;by=10.0.0.1',
  'x-forwarded-for': '127.0.0.1, 10.0.0.7, 198.51.100.7',
  'x-forwarded-host': 'evil.example',
  'x-forwarded-server': 'evil.example',
  'x-forwarded-proto': 'https',
  'x-forwarded-protocol': 'https',
  'x-forwarded-scheme': 'https',
  'x-forwarded-ssl': 'on',
  'x-forwarded-port': '443',
  'x-url-scheme': 'https',
  'front-end-https': 'on',
  'x-host': 'evil.example',
  'x-real-ip': '198.51.100.7',
  'x-client-ip': '198.51.100.7',
  'x-cluster-client-ip': '198.51.100.7',
  'x-remote-addr': '198.51.100.7',
  'x-remote-ip': '198.51.100.7',
  'x-originating-ip': '127.0.0.1',
  'true-client-ip': '198.51.100.7',
  'cf-connecting-ip': '198.51.100.7',
  'fastly-client-ip': '198.51.100.7',
  'client-ip': '198.51.100.7',
  'x-azure-clientip': '198.51.100.7',
  via: '1.1 evil.example',
  'x-remote-user': 'admin',
  'x-forwarded-user': 'admin',
  'x-forwarded-email': 'admin@example.com',
  'x-auth-request-user': 'admin',
  'ssl-client-verify': 'SUCCESS',
  'x-ssl-client-dn': 'CN=admin',
  'x-internal': '1',
  'x-debug': '1',
};

describe.each<[string, TrustedProxies, string]>([
  ['no proxy is declared', null, peer],
  ['there is no proxy', [], peer],
  ['the peer is not a declared proxy', ['10.0.0.0/8'], peer],
])('if %s, a forged header', (_, trustedProxies, remoteAddress) => {
  let service: AttackedApp;
  beforeAll(async () => {
    service = await openAttackedApp({ trustedProxies, limits: { signInFailuresPerMinute: 1 } });
  });
  afterAll(() => service.close());

  test.each(Object.keys(forgedOrigins))('%s changes no URL and no origin', async (name) => {
    const headers = {
      ...makeAuthHeaders('admin', service.variables),
      host: 'widgets.example',
      [name]: forgedOrigins[name]!,
    };
    const request = { method: 'POST', url: '/api/v1/integrations', remoteAddress, payload: { name: 'x' } } as const;
    const issued = await service.inject({ ...request, headers });
    expect(issued.json().url).toMatch(/^http:\/\/widgets\.example\/api/);
    const foreign = await service.inject({ ...request, headers: { ...headers, origin: 'https://evil.example' } });
    expect(foreign.json().code).toBe('csrf-token-invalid');
  });

  test('authenticates nobody, and hides no failed sign-in from the limit of the address', async () => {
    const without = await service.inject({
      method: 'GET',
      url: '/api/v1/session',
      remoteAddress,
      headers: forgedOrigins,
    });
    expect(without.json().code).toBe('not-authenticated');
    const names = Object.keys(forgedOrigins);
    const statuses: number[] = [];
    for (const [index, name] of names.entries()) {
      const headers = { [name]: (forgedOrigins[name] ?? '').replace('198.51.100.7', `198.51.100.${index}`) };
      const payload = { email: `nobody-${index}@example.com`, password: 'wrong' };
      const response = await service.inject({
        method: 'POST',
        url: '/api/v1/session',
        remoteAddress,
        headers,
        payload,
      });
      statuses.push(response.statusCode);
    }
    // Six failures a minute, and one more for each ten seconds that this takes.
    const passed = statuses.filter((status) => status === 403).length;
    expect(passed).toBeGreaterThanOrEqual(6);
    expect(passed).toBeLessThan(names.length / 2);
    expect(statuses.filter((status) => status !== 403 && status !== 429)).toEqual([]);
  });
});

describe('a forwarded host or scheme that a trusted proxy passes on', () => {
  let service: AttackedApp;
  beforeAll(async () => {
    service = await openAttackedApp({ trustedProxies: [proxy] });
  });
  afterAll(() => service.close());

  const issue = (headers: Record<string, string>) =>
    service.inject({
      method: 'POST',
      url: '/api/v1/integrations',
      remoteAddress: proxy,
      headers: { ...makeAuthHeaders('admin', service.variables), host: 'internal', ...headers },
      payload: { name: 'x' },
    });

  test.each([
    'evil.example@widgets.example',
    'widgets.example:80@evil.example',
    'widgets.example/..',
    'widgets.example?x',
    'widgets.example#x',
    'widgets.example\\evil.example',
    'widgets.example, evil.example/x',
    'widgets.example evil.example',
    'widgets.example\tevil',
    'widgets.example%0d%0aX-Forged: 1',
    'w\u00efdgets.example',
    '[::1',
    '[::ffff:1.2.3.4%25eth0]',
    'javascript:alert(1)',
    '"widgets.example"',
    '<script>',
  ])('the host %s gets 400, or is no part of a URL', async (host) => {
    const response = await issue({ 'x-forwarded-host': host });
    if (response.statusCode === 400) {
      expect(response.json().code).toBe('malformed-request');
      expect(response.body).not.toContain(host);
      return;
    }
    expect(response.statusCode).toBe(201);
    // Of a list, one whole host counts.
    expect(host.split(/, */)).toContain(new URL(response.json().url).host);
  });

  test.each(['javascript', 'data', 'file', 'http://evil.example/', 'https,javascript', 'ht\ttp', ''])(
    'the scheme "%s" begins no URL',
    async (scheme) => {
      const response = await issue({ 'x-forwarded-proto': scheme });
      if (response.statusCode === 201) expect(response.json().url).toMatch(/^https?:\/\/internal\/api/);
      else expect(response.json().code).toBe('malformed-request');
    },
  );

  test('a line end in a forwarded header ends the request', async () => {
    for (const end of ['\n', '\r', '\r\n\t', '\0', '\x0b']) {
      const responses = await exchange(
        service.port,
        `GET /api/v1/session HTTP/1.1\r\nHost: a\r\nConnection: close\r\nX-Forwarded-Host: a${end}Set-Cookie: x=y\r\n\r\n`,
      );
      expect(responses.map(({ status }) => status)).toEqual([400]);
      expect(responses[0]?.headers).not.toHaveProperty('set-cookie');
    }
  });

  test('a chain of 900 addresses is read', async () => {
    const chain = Array.from({ length: 900 }, (_, index) => `10.0.${index % 250}.${index % 250}`).join(', ');
    const response = await issue({ 'x-forwarded-for': chain });
    expect(response.statusCode).toBe(201);
  });
});
