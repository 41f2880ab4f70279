import { afterAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { expectProblem } from '../../drivers/app/expect-problem.ts';
import { readCookies, signInAtProvider, startIdentityProvider } from '../../drivers/app/identity-provider.ts';
import { openSharedApp } from '../../drivers/app/open-shared.ts';
import { openTestApp, type TestApp, type TestAppOptions, type TestResponse } from '../../drivers/app/test-app.ts';
import { eventually } from '../../drivers/tools/eventually.ts';

const publicBaseUrl = 'http://widgets.example.test/base';
const provider = await startIdentityProvider(publicBaseUrl);
provider.setPerson('kim', { email: 'kim@example.com', roles: ['makers'] });
provider.setPerson('lee', { email: 'lee@example.com' });
const service = await openSharedApp({ ...provider.settings });
afterAll(() => provider.close());
beforeEach(() => {
  provider.interfere = null;
});

/** Follows links of the service as a browser does, with one jar of cookies for all its tabs. */
function openBrowser(at: TestApp = service, headers: Record<string, string> = { 'sec-fetch-mode': 'navigate' }) {
  const cookies = new Map<string, string>();
  const follow = async (url: string): Promise<TestResponse> => {
    const cookie = [...cookies].map((pair) => pair.join('=')).join('; ');
    const response = await at.get(url, { ...headers, cookie });
    for (const pair of readCookies(response)) {
      const [name = '', value = ''] = pair.split('=');
      if (value === '') cookies.delete(name);
      else cookies.set(name, value);
    }
    return response;
  };
  return {
    follow,
    /** Starts a sign-in, and returns the callback to which the provider sends the browser. */
    start: async (login: string, returnTo = '/base/docs') => {
      const response = await follow(`/api/v1/session/oidc?returnTo=${encodeURIComponent(returnTo)}`);
      const { search } = await signInAtProvider(String(response.headers.location), login);
      return `/api/v1/session/oidc/callback${search}`;
    },
    hasSession: () => cookies.has('service_console'),
  };
}

/** The browser is led to the sign-in page of the console, with the reason. */
function expectLed(response: TestResponse, reason: string, page = '/base/console/'): void {
  expect(response.statusCode).toBe(303);
  const { pathname, searchParams } = new URL(String(response.headers.location), 'http://widgets.example.test');
  expect(pathname).toBe(page);
  expect(Object.fromEntries(searchParams)).toEqual({
    signInFailed: reason,
    failedRequest: response.headers['x-request-id'],
  });
}

describe('sign-ins in several tabs of a browser', () => {
  test.each([
    ['in the order of their starts', [0, 1, 2]],
    ['the last one first', [2, 1, 0]],
  ])('all end well, %s', async (_, order) => {
    const browser = openBrowser();
    const callbacks = [await browser.start('kim'), await browser.start('kim'), await browser.start('kim')];
    for (const index of order) {
      const { headers } = await browser.follow(callbacks[index] ?? '');
      expect(headers.location).toBe('/base/docs');
    }
    expect(browser.hasSession()).toBe(true);
  });

  test('do not end each other: one that fails leaves the others', async () => {
    const browser = openBrowser();
    const [cancelled, refused, good] = [
      await browser.start(''),
      await browser.start('lee'),
      await browser.start('kim'),
    ];
    expectLed(await browser.follow(cancelled), 'sign-in-refused');
    expectLed(await browser.follow(refused), 'no-role-claim');
    expectLed(await browser.follow('/api/v1/session/oidc/callback?code=c&state=another'), 'sign-in-not-verified');
    expect((await browser.follow(good)).headers.location).toBe('/base/docs');
  });

  test('the reload of a callback leads on, and the session stays', async () => {
    const browser = openBrowser();
    const callback = await browser.start('kim');
    await browser.follow(callback);
    expectLed(await browser.follow(callback), 'sign-in-not-verified');
    expect(browser.hasSession()).toBe(true);
    expect((await browser.follow('/api/v1/session')).statusCode).toBe(200);
  });
});

describe('a browser that cannot sign in is led to the sign-in page with the reason', () => {
  async function openPod(options: TestAppOptions): Promise<TestApp> {
    const pod = await openTestApp({ sharedBackend: service.backend, ...provider.settings, ...options });
    onTestFinished(() => pod.close());
    return pod;
  }
  const start = '/api/v1/session/oidc';

  test.each([
    [`${start}?returnTo=/base/${'x'.repeat(600)}`, 'invalid-request'],
    [`${start}?returnTo=https://elsewhere.example`, 'invalid-request'],
    [`${start}?returnTo=/base/&returnTo=/base/`, 'invalid-request'],
    [`${start}/callback?code=${'c'.repeat(5_000)}&state=s`, 'invalid-request'],
    [`${start}/callback`, 'sign-in-not-verified'],
  ])('at %s', async (url, reason) => {
    expectLed(await openBrowser().follow(url), reason);
    // An older browser says only what it wants.
    const accept = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';
    expectLed(await openBrowser(service, { accept }).follow(url), reason);
  });

  test('while the provider is down, and after too many failures', async () => {
    const pod = await openPod({ limits: { signInFailuresPerMinute: 1 } });
    provider.interfere = (_request, response) => void response.writeHead(500).end();
    const browser = openBrowser(pod);
    expectLed(await browser.follow(start), 'identity-provider-unavailable');
    provider.interfere = null;
    for (let count = 0; count < 6; count += 1) await browser.follow(`${start}/callback`);
    const limited = await browser.follow(`${start}/callback`);
    expectLed(limited, 'rate-limited');
    expect(limited.headers['retry-after']).toMatch(/^\d+$/);
  });

  test('without a provider, without the console, and without any page', async () => {
    const without = await openTestApp({ sharedBackend: service.backend });
    onTestFinished(() => without.close());
    expectLed(await openBrowser(without).follow(start), 'not-found', '/console/');
    const docsOnly = await openPod({ PAGES: new Set(['docs']) });
    expectLed(await openBrowser(docsOnly).follow(`${start}/callback`), 'sign-in-not-verified', '/base/docs');
    const bare = await openPod({ PAGES: new Set() });
    const response = await openBrowser(bare).follow(`${start}/callback`);
    expectProblem(response, { status: 403, code: 'sign-in-not-verified' });
  });

  test('and the audit trail and the log have the failure as they do for other clients', async () => {
    const pod = await openTestApp({ ...provider.settings });
    onTestFinished(() => pod.close());
    const browser = openBrowser(pod);
    const response = await browser.follow(await browser.start('lee'));
    const requestId = String(response.headers['x-request-id']);
    const line = pod.logLines.find((text) => text.includes(requestId) && text.includes('"msg":"request"'));
    expect(JSON.parse(line ?? '{}')).toMatchObject({ status: 303, code: 'sign-in-refused' });
    const { headers } = await pod.signedIn('admin');
    const url = '/api/v1/audit-events?action=session.failed&pageSize=200';
    await eventually(async () => {
      const { items } = (await pod.get(url, headers)).json();
      const event = items.find((each: { requestId: string }) => each.requestId === requestId);
      return event?.outcome === 'refused' && event.code === 'sign-in-refused';
    }, 'the audit trail has the failure');
  });
});

test.each([{ accept: 'application/json' }, { accept: '*/*' }, { 'sec-fetch-mode': 'cors', accept: 'text/html' }])(
  'a client with the headers %j gets the problem',
  async (headers) => {
    const client = openBrowser(service, headers as Record<string, string>);
    const tooLong = await client.follow(`/api/v1/session/oidc?returnTo=/base/${'x'.repeat(600)}`);
    expectProblem(tooLong, { status: 400, code: 'invalid-request' });
    const response = await client.follow('/api/v1/session/oidc/callback');
    expectProblem(response, { status: 403, code: 'sign-in-not-verified' });
  },
);
