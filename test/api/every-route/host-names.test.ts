import { afterAll, beforeAll, describe, test } from 'vitest';
import { expectProblem } from '../../drivers/expect-problem.ts';
import { openTestApp, type TestApp } from '../../drivers/test-app.ts';

let app: TestApp;
afterAll(() => app.close());

const answer = (host: string, headers = {}) =>
  app.inject({ method: 'GET', url: '/api/v1/session', headers: { host, ...headers } });

describe('a service that knows its names', () => {
  beforeAll(async () => {
    app = await openTestApp({ allowedHosts: ['Widgets.Example', 'widget-api'], trustedProxies: ['127.0.0.1'] });
  });

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
        const response = await app.inject({ method: 'GET', url, headers: { host } });
        expectProblem(response, { status: 400, code: 'host-not-allowed' });
      }
    },
  );

  test('a page that gives its own name the address of the service cannot guess passwords', async () => {
    const response = await app.inject({
      method: 'POST',
      url: '/api/v1/session',
      headers: { host: 'evil.example', origin: 'http://evil.example', 'sec-fetch-site': 'same-origin' },
      payload: { email: 'admin@localhost', password: 'a guess' },
    });
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
