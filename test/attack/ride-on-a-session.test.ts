import { randomBytes } from 'node:crypto';
import { afterAll, describe, expect, test } from 'vitest';
import { exchange } from '../api/bad-input/raw-connection.ts';
import { openSharedService } from '../drivers/app/open-shared.ts';
import { signInThroughPorts, type TestRoute } from '../drivers/app/test-app.ts';
import { openStream } from '../drivers/streams/stream-client.ts';
import { openAttackedApp } from './attacked-app.ts';

/**
 * A page of another site in the browser of somebody who is signed in. That each change needs the CSRF token of its
 * session and the own origin is in `test/api/every-route/access-policies.test.ts`.
 */
const evil = 'https://evil.example';
const target = await openAttackedApp();
const admin = await target.signedIn('admin');
afterAll(() => target.close());

const fillPath = ({ url }: TestRoute) => url.replaceAll(/:\w+/g, '0197a0b0-0000-7000-8000-00000000abcd');
const listCorsHeaders = (headers: object) => Object.keys(headers).filter((name) => name.startsWith('access-control-'));
/** A page of any site may read a stream: its token, not a cookie, is the credential. */
const isNoStream = ({ url }: TestRoute) => url !== '/api/v1/events/:token';
const allMethods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const;

describe('a script of another site', () => {
  test('can read no response of any route', async () => {
    for (const route of target.routes.filter(isNoStream)) {
      const headers = { cookie: admin.cookie, origin: evil, 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'cors' };
      const response = await target.inject({ method: route.method as 'GET', url: fillPath(route), headers });
      // Hooks are no secret of the browser's user, and a page cannot read their answers either.
      expect(listCorsHeaders(response.headers), `${route.method} ${route.url}`).toEqual([]);
    }
  });

  test('gets no permission by a preflight, on any route', async () => {
    for (const url of new Set(target.routes.filter(isNoStream).map(fillPath))) {
      for (const method of allMethods) {
        const headers = {
          origin: evil,
          'access-control-request-method': method,
          'access-control-request-headers': 'x-csrf-token, content-type',
          'access-control-request-private-network': 'true',
        };
        const response = await target.inject({ method: 'OPTIONS', url, headers });
        expect(response.statusCode, url).toBeGreaterThanOrEqual(400);
        expect(listCorsHeaders(response.headers), url).toEqual([]);
      }
    }
  });

  // A browser sends these without a preflight, and with the cookies that the `SameSite` attribute lets through.
  test.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'text/plain; application/json',
  ])('changes nothing by a form of the type %s', async (type) => {
    const headers = { cookie: admin.cookie, 'content-type': type };
    for (const body of ['{"name":"ridden"}', 'name=ridden&x-csrf-token=x', `_csrf=${admin.csrfToken}&name=ridden`]) {
      const ridden = await target.post('/api/v1/widgets', body, headers);
      expect(ridden.json().code).toBe('csrf-token-invalid');
      const origin = { ...headers, origin: evil };
      const signIn = await target.post('/api/v1/session', body, origin);
      expect(signIn.statusCode).toBeGreaterThanOrEqual(400);
      expect(signIn.headers['set-cookie']).toBeUndefined();
    }
    expect(await target.listWidgetNames()).not.toContain('ridden');
  });

  test('changes nothing by navigation: no GET and no HEAD has an audit action, but for the return of the provider', () => {
    const changing = target.routes.filter(
      ({ method, audit }) => ['GET', 'HEAD'].includes(method) && audit !== undefined,
    );
    expect(changing.filter(({ url }) => !url.startsWith('/api/v1/session/oidc'))).toEqual([]);
  });
});

describe('a stream that a page of another site opens', async () => {
  const service = await openSharedService();

  test('is readable with its token, and never with credentials', async () => {
    const { url } = await service.issueStreamUrl();
    const viewer = await signInThroughPorts(service.backend, 'viewer');
    const stream = await openStream(url, { headers: { origin: evil, cookie: viewer.cookie } });
    await stream.until(() => stream.events.length > 0, 'stream.open');
    stream.close();
    expect(stream.headers['access-control-allow-origin']).toBe('*');
    expect(stream.headers['access-control-allow-credentials']).toBeUndefined();
    const preflight = await fetch(url, {
      method: 'OPTIONS',
      headers: { origin: evil, 'access-control-request-method': 'POST', 'access-control-request-headers': 'cookie' },
    });
    expect(preflight.headers.get('access-control-allow-methods')).toBe('GET');
    expect(preflight.headers.get('access-control-allow-headers')).not.toMatch(/cookie|authorization|csrf|\*/i);
    expect(preflight.headers.get('access-control-allow-credentials')).toBeNull();
    expect(preflight.headers.get('access-control-allow-private-network')).toBeNull();
  });

  test('is not that of its visitor: the cookie counts only for pages of the service', async () => {
    const viewer = await signInThroughPorts(service.backend, 'viewer');
    const url = `${service.url}/api/v1/session/stream`;
    const attempts: Record<string, string>[] = [
      { origin: evil },
      { origin: 'null' },
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
    ];
    for (const headers of attempts) {
      const response = await fetch(url, { headers: { ...headers, cookie: viewer.cookie } });
      expect(response.status).toBe(403);
      expect(response.headers.get('access-control-allow-origin')).toBeNull();
      expect(((await response.json()) as { code: string }).code).toBe('csrf-token-invalid');
    }
    for (const own of [{}, { origin: service.url }, { 'sec-fetch-site': 'same-origin' }]) {
      const stream = await openStream(url, { headers: { ...own, cookie: viewer.cookie } });
      await stream.until(() => stream.events.length > 0, 'stream.open');
      stream.close();
      expect(stream.headers['access-control-allow-origin']).toBeUndefined();
    }
  });
});

describe('cookies that a sibling domain tosses', () => {
  const anId = () => randomBytes(32).toString('base64url');

  test('in two headers count together', async () => {
    const request = (second: string) =>
      `GET /api/v1/session HTTP/1.1\r\nHost: a\r\nConnection: close\r\nCookie: ${admin.cookie}\r\nCookie: ${second}\r\n\r\n`;
    expect(await exchange(target.port, request('a=1'))).toMatchObject([{ status: 200 }]);
    expect(await exchange(target.port, request(`service_console=${anId()}`))).toMatchObject([{ status: 403 }]);
  });

  test('that are too large get 400, and another browser is served', async () => {
    const request = `GET /api/v1/session HTTP/1.1\r\nHost: a\r\nCookie: ${admin.cookie}; a=${'x'.repeat(17_000)}\r\n\r\n`;
    const responses = await exchange(target.port, request);
    expect(responses.map(({ status }) => status)).toEqual([400]);
    await target.expectHonestAnswer();
  });

  test('for a pending sign-in make no sign-in fail', async () => {
    const cookie = `service_sign_in=${'y'.repeat(2_000)}; service_sign_in=z`;
    const payload = { email: 'nobody@example.com', password: 'wrong' };
    const response = await target.post('/api/v1/session', payload, { cookie });
    expect(response.json().code).toBe('invalid-credentials');
  });
});
