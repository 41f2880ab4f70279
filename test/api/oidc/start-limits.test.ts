import { afterAll, beforeEach, expect, onTestFinished, test } from 'vitest';
import { expectProblem } from '../../drivers/app/expect-problem.ts';
import {
  finishOidcSignIn,
  signInAtProvider,
  startIdentityProvider,
  startOidcSignIn,
} from '../../drivers/app/identity-provider.ts';
import { openSharedApp } from '../../drivers/app/open-shared.ts';
import { openTestApp, type TestApp, type TestAppOptions } from '../../drivers/app/test-app.ts';
import { createManualClock } from '../../drivers/tools/manual-clock.ts';

const provider = await startIdentityProvider('http://widgets.example.test');
provider.setPerson('kim', { email: 'kim@example.com', roles: ['makers'] });
const service = await openSharedApp();
afterAll(() => provider.close());
beforeEach(() => {
  provider.interfere = null;
});

async function openPod(options: TestAppOptions = {}): Promise<TestApp> {
  const pod = await openTestApp({
    ...provider.settings,
    sharedBackend: service.backend,
    ...options,
  });
  onTestFinished(() => pod.close());
  return pod;
}

test('HEAD neither starts a sign-in nor finishes one', async () => {
  const pod = await openPod();
  const { url, cookie } = await startOidcSignIn(pod);
  const callback = await signInAtProvider(url, 'kim');
  for (const path of ['/api/v1/session/oidc', `/api/v1/session/oidc/callback${callback.search}`]) {
    const response = await pod.inject({ method: 'HEAD', url: path, headers: { cookie } });
    expect(response.statusCode).toBe(405);
    expect(response.headers.allow).toBe('GET');
    expect(response.headers['set-cookie']).toBeUndefined();
  }
  expect((await finishOidcSignIn(pod, callback, cookie)).statusCode).toBe(303);
});

test('while the provider is down, its metadata is asked for once a second, not for each request', async () => {
  const clock = createManualClock();
  const pod = await openPod({ clock });
  const countRequests = () => provider.requests.filter((path) => path.startsWith('/.well-known')).length;
  const before = countRequests();
  provider.interfere = (_request, response) => void response.writeHead(500).end();
  for (let count = 0; count < 20; count += 1) {
    expectProblem((await startOidcSignIn(pod)).response, { status: 503, code: 'identity-provider-unavailable' });
  }
  expect(countRequests() - before).toBe(1);
  provider.interfere = null;
  clock.advance(1_000);
  expect((await startOidcSignIn(pod)).response.statusCode).toBe(303);
});
