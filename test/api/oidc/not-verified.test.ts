import { systemClock } from '@widget-service/shared/runtime/clock.ts';
import { afterAll, describe, expect, test } from 'vitest';
import { expectProblem } from '../../drivers/app/expect-problem.ts';
import {
  finishOidcSignIn,
  signInAtProvider,
  signInByOidc,
  startIdentityProvider,
  startOidcSignIn,
} from '../../drivers/app/identity-provider.ts';
import { openSharedApp } from '../../drivers/app/open-shared.ts';
import { openTestApp, type TestResponse } from '../../drivers/app/test-app.ts';

const provider = await startIdentityProvider('http://widgets.example.test');
provider.setPerson('kim', { email: 'kim@example.com', roles: ['makers'] });
const service = await openSharedApp({ ...provider.settings });
afterAll(() => provider.close());

/** The sign-in is over: its cookie is cleared, and there is no session. */
function expectNotVerified(response: TestResponse): void {
  expectProblem(response, { status: 403, code: 'sign-in-not-verified' });
  expect(response.headers['set-cookie']).toMatch(
    /^service_sign_in_[\w-]{16}=; Max-Age=0; Path=\/; HttpOnly; SameSite=Lax$/,
  );
}

/** Returns the address with one query parameter changed, or removed. */
function withParameter(url: string | URL, name: string, value: string | null): URL {
  const changed = new URL(url);
  if (value === null) changed.searchParams.delete(name);
  else changed.searchParams.set(name, value);
  return changed;
}

describe('GET /api/v1/session/oidc/callback returns 403 sign-in-not-verified', () => {
  test('for a code that was used before', async () => {
    const { url, cookie } = await startOidcSignIn(service);
    const callback = await signInAtProvider(url, 'kim');
    expect((await finishOidcSignIn(service, callback, cookie)).statusCode).toBe(303);
    expectNotVerified(await finishOidcSignIn(service, callback, cookie));
  });

  test.each(['another state', null])('for the state %j', async (state) => {
    const { url, cookie } = await startOidcSignIn(service);
    const callback = withParameter(await signInAtProvider(url, 'kim'), 'state', state);
    const before = provider.requests.length;
    expectNotVerified(await finishOidcSignIn(service, callback, cookie));
    expect(provider.requests.slice(before)).toEqual([]);
  });

  test('for an ID token with another nonce', async () => {
    const { url, cookie } = await startOidcSignIn(service);
    const callback = await signInAtProvider(withParameter(url, 'nonce', 'another').href, 'kim');
    expectNotVerified(await finishOidcSignIn(service, callback, cookie));
  });

  test('for a code that was issued for another PKCE challenge', async () => {
    const { url, cookie } = await startOidcSignIn(service);
    const challenge = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM';
    const callback = await signInAtProvider(withParameter(url, 'code_challenge', challenge).href, 'kim');
    expectNotVerified(await finishOidcSignIn(service, callback, cookie));
  });

  test('for the response to a sign-in that another browser started', async () => {
    const [victim, attacker] = [await startOidcSignIn(service), await startOidcSignIn(service)];
    const callback = await signInAtProvider(attacker.url, 'kim');
    expectNotVerified(await finishOidcSignIn(service, callback, victim.cookie));
  });

  test('without the cookie, for a forged one, and for two', async () => {
    const { url, cookie } = await startOidcSignIn(service);
    const callback = await signInAtProvider(url, 'kim');
    const [name = ''] = cookie.split('=');
    const forged = `${cookie.slice(0, 60)}${cookie[60] === 'A' ? 'B' : 'A'}${cookie.slice(61)}`;
    for (const sent of ['', `${name}=abc`, forged, `${cookie}; ${cookie}`, `${name}=abc; ${cookie}`]) {
      expectNotVerified(await finishOidcSignIn(service, callback, sent));
    }
    expect((await finishOidcSignIn(service, callback, cookie)).statusCode).toBe(303);
  });

  test('for a sign-in that was started more than ten minutes ago', async () => {
    const { url, cookie } = await startOidcSignIn(service);
    const callback = await signInAtProvider(url, 'kim');
    const later = new Date(Date.now() + 600_000);
    const pod = await openTestApp({
      ...provider.settings,
      sharedBackend: service.backend,
      clock: { ...systemClock, now: () => later },
    });
    expectNotVerified(await finishOidcSignIn(pod, callback, cookie));
    await pod.close();
  });

  test('for an answer of another issuer (RFC 9207)', async () => {
    const { url, cookie } = await startOidcSignIn(service);
    const callback = withParameter(await signInAtProvider(url, 'kim'), 'iss', 'https://elsewhere.example');
    expectNotVerified(await finishOidcSignIn(service, callback, cookie));
  });

  test('for an ID token that is not signed with a key of the provider', async () => {
    const other = await startIdentityProvider('http://widgets.example.test');
    const otherKeys = await (await fetch(`${other.settings.OIDC_ISSUER_URL}/jwks`)).text();
    const { url, cookie } = await startOidcSignIn(service);
    const callback = await signInAtProvider(url, 'kim');
    // This pod has not read the keys yet.
    const pod = await openTestApp({ ...provider.settings, sharedBackend: service.backend });
    provider.interfere = (request, response) => {
      if (request.url !== '/jwks') return provider.passOn(request, response);
      response.writeHead(200, { 'content-type': 'application/jwk-set+json' }).end(otherKeys);
    };
    expectNotVerified(await finishOidcSignIn(pod, callback, cookie));
    provider.interfere = null;
    await pod.close();
    await other.close();
  });
});

describe('GET /api/v1/session/oidc', () => {
  test.each([
    'https://elsewhere.example/',
    '//elsewhere.example/',
    '/\\elsewhere.example/',
    'javascript:alert(1)',
    'docs',
    '',
  ])('returns 400 for the returnTo %j', async (returnTo) => {
    const { response } = await startOidcSignIn(service, returnTo);
    const errors = [{ parameter: 'returnTo', code: 'format' }];
    expectProblem(response, { status: 400, code: 'invalid-request', errors });
    expect(response.headers.location).toBeUndefined();
  });
});

test('failed sign-ins of one address are limited; successful ones and other addresses are not', async () => {
  const limited = await openTestApp({
    ...provider.settings,
    sharedBackend: service.backend,
    limits: { signInFailuresPerMinute: 1 },
  });
  const fail = (from: string) => finishOidcSignIn(limited, new URL('http://x/?code=c&state=s'), '', from);
  const from = '203.0.113.5';
  for (let attempt = 0; attempt < 6; attempt += 1) expectNotVerified(await fail(from));
  const refused = await fail(from);
  expectProblem(refused, { status: 429, code: 'rate-limited' });
  expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
  expectNotVerified(await fail('203.0.113.6'));
  for (let attempt = 0; attempt < 7; attempt += 1) {
    expect((await signInByOidc(limited, 'kim')).statusCode).toBe(303);
  }
  await limited.close();
});
