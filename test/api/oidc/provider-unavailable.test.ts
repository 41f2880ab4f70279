import type { ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterAll, beforeEach, expect, onTestFinished, test } from 'vitest';
import { expectProblem } from '../../drivers/app/expect-problem.ts';
import {
  finishOidcSignIn,
  signInAtProvider,
  signInByOidc,
  startIdentityProvider,
  startOidcSignIn,
} from '../../drivers/app/identity-provider.ts';
import { openSharedApp } from '../../drivers/app/open-shared.ts';
import { openTestApp, type TestAppOptions, type TestResponse } from '../../drivers/app/test-app.ts';
import { createManualClock } from '../../drivers/tools/manual-clock.ts';

const timeoutMs = 300;
const provider = await startIdentityProvider('http://widgets.example.test');
provider.setPerson('kim', { email: 'kim@example.com', roles: ['makers'] });
const service = await openSharedApp();
afterAll(() => provider.close());
beforeEach(() => {
  provider.interfere = null;
});

const clock = createManualClock();
/** A pod that has asked the provider for nothing yet. */
const openPod = (options: TestAppOptions = {}) =>
  openTestApp({ ...provider.settings, ...options, sharedBackend: service.backend, clock });

function expectUnavailable(response: TestResponse): void {
  expectProblem(response, { status: 503, code: 'identity-provider-unavailable' });
  expect(response.headers['retry-after']).toBe('1');
  expect(response.headers['set-cookie']).toBeUndefined();
}

const interferences: [string, (response: ServerResponse) => void][] = [
  ['does not answer', () => undefined],
  ['closes connections', (response) => void response.destroy()],
  ['answers 500', (response) => void response.writeHead(500).end()],
  ['answers 429', (response) => void response.writeHead(429).end()],
  ['answers 404', (response) => void response.writeHead(404).end()],
  ['answers with HTML', (response) => void response.writeHead(200, { 'content-type': 'text/html' }).end('<p>Down')],
  [
    'answers with broken JSON',
    (response) => void response.writeHead(200, { 'content-type': 'application/json' }).end('{'),
  ],
  ['redirects', (response) => void response.writeHead(302, { location: '/elsewhere' }).end()],
  ['answers without end', (response) => sendWithoutEnd(response)],
];

function sendWithoutEnd(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'application/json' });
  const chunk = Buffer.alloc(65_536, ' ');
  const send = () => {
    while (response.write(chunk));
  };
  response.on('drain', send);
  response.on('error', () => undefined);
  send();
}

test.each(interferences)('a provider that %s is 503, at the start and at the callback', async (_, answer) => {
  const [pod, working] = await Promise.all([openPod({ providerTimeoutMs: timeoutMs }), openPod()]);
  const { url, cookie } = await startOidcSignIn(working);
  const callback = await signInAtProvider(url, 'kim');
  const before = provider.requests.length;
  provider.interfere = (_request, response) => answer(response);
  expectUnavailable((await startOidcSignIn(pod)).response);
  expectUnavailable(await finishOidcSignIn(pod, callback, cookie));
  expect(provider.requests.slice(before)).not.toContain('/elsewhere');
  expect(pod.logLines.join('')).toContain('identity provider: ');
  // Nothing was used up, and a failure is remembered for a second.
  provider.interfere = null;
  clock.advance(1_000);
  expect((await finishOidcSignIn(pod, callback, cookie)).statusCode).toBe(303);
  await Promise.all([pod.close(), working.close()]);
});

test('a provider that is not running is 503, and the service starts without it', async () => {
  const stopped = await startIdentityProvider('http://widgets.example.test');
  await stopped.close();
  const pod = await openTestApp({ ...stopped.settings, sharedBackend: service.backend });
  expectUnavailable((await startOidcSignIn(pod)).response);
  expect((await pod.get('/docs')).statusCode).toBe(200);
  await pod.close();
});

test('a wrong client secret is 503, because the operator has to correct it', async () => {
  const pod = await openPod({ OIDC_CLIENT_SECRET: 'not the secret of the client' });
  expectUnavailable(await signInByOidc(pod, 'kim'));
  expect(pod.logLines.join('')).toContain('OIDC_CLIENT_ID');
  await pod.close();
});

test.each(['issuer', 'authorization_endpoint', 'token_endpoint', 'jwks_uri'])(
  'no request goes to another origin than the issuer, whatever %s the metadata names',
  async (member) => {
    const internal = await startIdentityProvider('http://widgets.example.test');
    const working = await openPod();
    const { url, cookie } = await startOidcSignIn(working);
    const callback = await signInAtProvider(url, 'kim');
    const metadata = await (
      await fetch(`${provider.settings.OIDC_ISSUER_URL}/.well-known/openid-configuration`)
    ).json();
    const changed = {
      ...(metadata as Record<string, string>),
      [member]: `${internal.settings.OIDC_ISSUER_URL}/target`,
    };
    const pod = await openPod();
    provider.interfere = (request, response) => {
      if (!request.url?.startsWith('/.well-known')) return provider.passOn(request, response);
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(changed));
    };
    expectUnavailable(await finishOidcSignIn(pod, callback, cookie));
    // A browser is not sent to the provider for a sign-in that would fail when it comes back.
    expectUnavailable((await startOidcSignIn(pod)).response);
    expect(internal.requests).toEqual([]);
    await Promise.all([pod.close(), working.close(), internal.close()]);
  },
);

test('failures of the provider do not count as failed sign-ins', async () => {
  const pod = await openTestApp({
    ...provider.settings,
    sharedBackend: service.backend,
    limits: { signInFailuresPerMinute: 1 },
  });
  onTestFinished(() => pod.close());
  const { url, cookie } = await startOidcSignIn(pod);
  const callback = await signInAtProvider(url, 'kim');
  provider.interfere = (_request, response) => void response.writeHead(500).end();
  // One failure more than an address has a minute.
  for (let count = 0; count < 7; count += 1) expectUnavailable(await finishOidcSignIn(pod, callback, cookie));
  provider.interfere = null;
  expect((await finishOidcSignIn(pod, callback, cookie)).statusCode).toBe(303);
});

test('an answer of more than 1 MiB is not read', async () => {
  const metadata = await (await fetch(`${provider.settings.OIDC_ISSUER_URL}/.well-known/openid-configuration`)).text();
  const pod = await openPod();
  onTestFinished(() => pod.close());
  provider.interfere = (_request, response) =>
    void response.writeHead(200, { 'content-type': 'application/json' }).end(metadata + ' '.repeat(1_048_577));
  expectUnavailable((await startOidcSignIn(pod)).response);
});

test.each([
  // As forms do. A provider that compares without decoding accepts it.
  [['client_secret_basic'], 'widget-service', 'a-secret_of.16*chars', 'a-secret_of.16*chars'],
  [undefined, 'widget-service', 'a:b%c+d/e=f?g 16', 'a%3Ab%25c%2Bd%2Fe%3Df%3Fg+16'],
  [['client_secret_post'], 'widget-service', 'a:b%c+d/e=f?g 16', null],
  [['client_secret_post', 'client_secret_basic'], 'widget-service', 'a-secret_of.16*chars', 'a-secret_of.16*chars'],
  [['client_secret_post', 'client_secret_basic'], 'widget-service', 'a:b%c+d/e=f?g 16', null],
] as const)('with the methods %j, the secret of %s is sent', async (methods, id, secret, sent) => {
  const metadata = await (await fetch(`${provider.settings.OIDC_ISSUER_URL}/.well-known/openid-configuration`)).json();
  const tokenRequests: { authorization: string | undefined; body: URLSearchParams }[] = [];
  provider.interfere = async (request, response) => {
    if (request.url?.startsWith('/.well-known')) {
      const body = { ...(metadata as object), token_endpoint_auth_methods_supported: methods };
      return void response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    }
    if (request.url !== '/token') return provider.passOn(request, response);
    const { authorization } = request.headers;
    tokenRequests.push({ authorization, body: new URLSearchParams(await text(request)) });
    response.writeHead(500).end();
  };
  const pod = await openPod({ OIDC_CLIENT_ID: id, OIDC_CLIENT_SECRET: secret });
  onTestFinished(() => pod.close());
  const { url, cookie } = await startOidcSignIn(pod);
  const callback = new URL(`http://x/?code=c&iss=${encodeURIComponent(provider.settings.OIDC_ISSUER_URL)}`);
  callback.searchParams.set('state', new URL(url).searchParams.get('state') ?? '');
  expectUnavailable(await finishOidcSignIn(pod, callback, cookie));
  const [{ authorization, body } = { body: new URLSearchParams() }] = tokenRequests;
  const basic = `Basic ${Buffer.from(`${id}:${sent}`).toString('base64')}`;
  expect([authorization, body.get('client_secret')]).toEqual(sent === null ? [undefined, secret] : [basic, null]);
});

test('while the provider is down, its metadata is asked for once a second, not for each request', async () => {
  const pod = await openPod();
  onTestFinished(() => pod.close());
  const countRequests = () => provider.requests.filter((path) => path.startsWith('/.well-known')).length;
  const before = countRequests();
  provider.interfere = (_request, response) => void response.writeHead(500).end();
  for (let count = 0; count < 20; count += 1) expectUnavailable((await startOidcSignIn(pod)).response);
  expect(countRequests() - before).toBe(1);
  provider.interfere = null;
  clock.advance(1_000);
  expect((await startOidcSignIn(pod)).response.statusCode).toBe(303);
});
