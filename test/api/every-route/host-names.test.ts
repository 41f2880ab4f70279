import http from 'node:http';
import { describe, expect, onTestFinished, test } from 'vitest';
import { expectProblem } from '../../drivers/app/expect-problem.ts';
import { openSharedApp } from '../../drivers/app/open-shared.ts';
import { openTestService } from '../../drivers/app/test-service.ts';

const app = await openSharedApp({ ALLOWED_HOSTS: ['Widgets.Example', 'widget-api'], TRUSTED_PROXIES: ['127.0.0.1'] });

const answer = (host: string, headers = {}) => app.get('/api/v1/session', { host, ...headers });

describe('a service that knows its names', () => {
  test.each([
    'widgets.example',
    'WIDGETS.EXAMPLE:8443',
    'widgets.example.',
    'widget-api:80',
    'localhost:8080',
    'widgets.localhost',
    '127.0.0.1:8080',
    '10.0.0.7:8080',
    '[2001:db8::7]:8080',
    '[::1]',
    '',
  ])('answers to the host "%s"', async (host) => {
    expectProblem(await answer(host), { status: 403, code: 'not-authenticated' });
  });

  test.each(['evil.example', 'evil.example:8080', 'xwidgets.example', 'widgets.example.evil.example', 'a.widget-api'])(
    'refuses the host %s with 400, at every address',
    async (host) => {
      for (const url of ['/api/v1/session', '/', '/nowhere', '/api/v1/events/wst_x', '/console/']) {
        const response = await app.get(url, { host });
        expectProblem(response, { status: 400, code: 'host-not-allowed' });
      }
    },
  );

  test('a page that gives its own name the address of the service cannot guess passwords', async () => {
    const response = await app.post(
      '/api/v1/session',
      { email: 'admin@localhost', password: 'a guess' },
      { host: 'evil.example', origin: 'http://evil.example', 'sec-fetch-site': 'same-origin' },
    );
    expectProblem(response, { status: 400, code: 'host-not-allowed' });
  });

  test('the host that a trusted proxy forwards counts, not the name that the proxy has for the service', async () => {
    expectProblem(await answer('pods', { 'x-forwarded-host': 'widgets.example' }), {
      status: 403,
      code: 'not-authenticated',
    });
    expectProblem(await answer('widgets.example', { 'x-forwarded-host': 'evil.example' }), {
      status: 400,
      code: 'host-not-allowed',
    });
  });
});

describe('a service on loopback that nobody has told its names', () => {
  const open = async (environment = {}) => {
    const service = await openTestService({ HOST: '127.0.0.1', ...environment });
    onTestFinished(() => service.close());
    return service;
  };
  test('answers to addresses and localhost only, on both ports', async () => {
    const { url, opsUrl } = await open();
    for (const host of ['127.0.0.1', 'localhost']) expect(await readStatus(url, '/api/v1/session', host)).toBe(403);
    expect(await readStatus(url, '/api/v1/session', 'evil.example')).toBe(400);
    for (const path of ['/livez', '/metrics', '/readyz']) {
      expect(await readStatus(opsUrl, path, 'evil.example')).toBe(400);
      expect(await readStatus(opsUrl, path, 'localhost')).not.toBe(400);
    }
  });

  test('answers to the names in ALLOWED_HOSTS, on both ports, and to that of PUBLIC_BASE_URL', async () => {
    const names = { ALLOWED_HOSTS: 'Widgets.lan, api', PUBLIC_BASE_URL: 'http://public.lan:8080/below' };
    const { url, opsUrl } = await open(names);
    for (const host of ['widgets.lan', 'API', 'public.lan']) expect(await readStatus(url, '/nowhere', host)).toBe(404);
    expect(await readStatus(url, '/nowhere', 'evil.example')).toBe(400);
    expect(await readStatus(opsUrl, '/livez', 'api')).toBe(200);
    expect(await readStatus(opsUrl, '/livez', 'public.lan')).toBe(400);
  });

  test('answers to every name with ALLOWED_HOSTS=*', async () => {
    const { url, opsUrl } = await open({ ALLOWED_HOSTS: '*' });
    expect(await readStatus(url, '/nowhere', 'any.example')).toBe(404);
    expect(await readStatus(opsUrl, '/livez', 'any.example')).toBe(200);
  });
});

/** `fetch` would not send another host than that of the URL. */
function readStatus(url: string, path: string, host: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    http
      .get(new URL(path, url), { headers: { host }, agent: false }, (response) => {
        response.resume().on('end', () => resolve(response.statusCode));
      })
      .on('error', reject);
  });
}
