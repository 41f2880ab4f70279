import { afterEach, describe, expect, test } from 'vitest';
import { openTestApp, type TestApp, type TestAppOptions } from '../../drivers/app/test-app.ts';

let service: TestApp;
afterEach(() => service.close());

const open = async (options: TestAppOptions) => {
  service = await openTestApp(options);
};

async function issueUrl(headers: Record<string, string>, path = '/api/v1/subscriptions'): Promise<string> {
  const admin = await service.signedIn('admin');
  const response = await service.app.inject({
    method: 'POST',
    url: path,
    remoteAddress: '10.0.0.7',
    headers: { ...admin.headers, ...headers },
    payload: { name: 'screen' },
  });
  expect(response.statusCode).toBe(201);
  return response.json().url;
}

async function createWidgetStatus(headers: Record<string, string>): Promise<number> {
  const editor = await service.signedIn('editor');
  return (await editor.post('/api/v1/widgets', { name: 'lamp' }, { ...editor.headers, ...headers })).statusCode;
}

async function readTransportSecurity(headers: Record<string, string>, url = '/api/v1/session'): Promise<unknown> {
  return (await service.get(url, headers)).headers['strict-transport-security'];
}

describe('with secure cookies and without PUBLIC_BASE_URL', () => {
  test.each(['/api/v1/subscriptions', '/api/v1/integrations'])('URLs from %s begin with https:', async (path) => {
    await open({ COOKIE_SECURE: true });
    expect(await issueUrl({ host: 'widgets.example' }, path)).toMatch(/^https:\/\/widgets\.example\/api\/v1\/events\//);
    expect(await issueUrl({ host: 'widgets.example:8443' }, path)).toMatch(/^https:\/\/widgets\.example:8443\//);
  });

  test('URLs begin with https: also if a trusted proxy was itself addressed with http:', async () => {
    await open({ COOKIE_SECURE: true, TRUSTED_PROXIES: ['10.0.0.7'] });
    const forwarded = { 'x-forwarded-host': 'widgets.example', 'x-forwarded-proto': 'http' };
    expect(await issueUrl({ host: 'internal:8080', ...forwarded })).toMatch(/^https:\/\/widgets\.example\//);
  });

  test('the own origin is the one with https:', async () => {
    await open({ COOKIE_SECURE: true });
    const host = 'widgets.example';
    expect(await createWidgetStatus({ host, origin: 'https://widgets.example' })).toBe(201);
    expect(await createWidgetStatus({ host, origin: 'http://widgets.example' })).toBe(403);
  });

  // Browsers send secure cookies to this machine also without TLS.
  test.each(['localhost:8080', '127.0.0.1:8080', '[::1]:8080', 'LOCALHOST', '127.1.2.3'])(
    'URLs for a client on this machine (%s) keep the scheme of the request',
    async (host) => {
      await open({ COOKIE_SECURE: true });
      expect(await issueUrl({ host })).toMatch(/^http:\/\//);
      expect(await createWidgetStatus({ host, origin: `http://${host}` })).toBe(201);
      expect(await readTransportSecurity({ host })).toBeUndefined();
    },
  );

  test('a name that only begins like an address of this machine is another machine', async () => {
    await open({ COOKIE_SECURE: true });
    for (const host of ['127.0.0.1.example', 'localhost.example', '127.example']) {
      expect(await issueUrl({ host })).toMatch(/^https:\/\//);
    }
  });
});

describe('Strict-Transport-Security', () => {
  test('is in every response of a service with secure cookies to a request that it can read', async () => {
    await open({ COOKIE_SECURE: true });
    for (const url of ['/api/v1/session', '/docs', '/nowhere', '/api/v1/events/unknown']) {
      expect(await readTransportSecurity({ host: 'widgets.example' }, url), url).toBe('max-age=31536000');
    }
  });

  test('is absent without secure cookies', async () => {
    await open({ COOKIE_SECURE: false });
    expect(await readTransportSecurity({ host: 'widgets.example' })).toBeUndefined();
    expect(await issueUrl({ host: 'widgets.example' })).toMatch(/^http:\/\/widgets\.example\//);
  });
});
