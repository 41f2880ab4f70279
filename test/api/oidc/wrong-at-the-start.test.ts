import { afterAll, beforeEach, expect, onTestFinished, test } from 'vitest';
import { startIdentityProvider } from '../../drivers/app/identity-provider.ts';
import { openSharedBackend } from '../../drivers/app/open-shared.ts';
import { openPod, type TestPod } from '../../drivers/app/test-service.ts';
import { eventually } from '../../drivers/tools/eventually.ts';

const testBackend = await openSharedBackend();
const publicBaseUrl = 'http://localhost:3000';
const provider = await startIdentityProvider(publicBaseUrl);
const stopped = await startIdentityProvider(publicBaseUrl);
await stopped.close();
afterAll(() => provider.close());
beforeEach(() => {
  provider.interfere = null;
});

/** Starts a pod with these settings of the provider. Nobody signs in. */
async function start(issuerUrl: string): Promise<TestPod> {
  const pod = await openPod(
    { ...testBackend.backend, close: async () => undefined },
    {
      PUBLIC_BASE_URL: publicBaseUrl,
      OIDC_ISSUER_URL: issuerUrl,
      OIDC_CLIENT_ID: provider.settings.OIDC_CLIENT_ID,
      OIDC_CLIENT_SECRET: provider.settings.OIDC_CLIENT_SECRET,
      OIDC_ROLE_MAPPING: 'staff=viewer',
    },
  );
  onTestFinished(pod.close);
  return pod;
}

async function countFailures({ opsUrl }: TestPod): Promise<number> {
  const metrics = await (await fetch(`${opsUrl}/metrics`)).text();
  return Number(/^widget_identity_provider_failures_total (\d+)$/m.exec(metrics)?.[1]);
}
const listWarnings = ({ logLines }: TestPod) =>
  logLines.map((line) => JSON.parse(line)).filter(({ msg }) => msg === 'identity_provider.unusable');

const issuerUrl = provider.settings.OIDC_ISSUER_URL;

test.each([
  ['with another issuer', `${issuerUrl}/`, /issuer/],
  ['that does not run', stopped.settings.OIDC_ISSUER_URL, /./],
])('a provider %s is known at the start, before anybody signs in', async (_, configured, reason) => {
  const pod = await start(configured);
  await eventually(async () => (await countFailures(pod)) === 1, 'the failure is counted');
  expect(listWarnings(pod)).toEqual([
    expect.objectContaining({ setting: 'OIDC_ISSUER_URL', reason: expect.stringMatching(reason) }),
  ]);
});

test('a provider with an endpoint of another origin is known at the start', async () => {
  const metadata = await (await fetch(`${issuerUrl}/.well-known/openid-configuration`)).json();
  const changed = { ...(metadata as object), token_endpoint: 'http://127.0.0.1:1/token' };
  provider.interfere = (_request, response) =>
    void response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(changed));
  const pod = await start(issuerUrl);
  await eventually(async () => (await countFailures(pod)) === 1, 'the failure is counted');
  expect(listWarnings(pod)).toEqual([expect.objectContaining({ reason: expect.stringContaining('token_endpoint') })]);
});

test('of a provider that is set up rightly, nothing is said', async () => {
  const before = provider.requests.length;
  const pod = await start(issuerUrl);
  await eventually(async () => provider.requests.length > before, 'the pod has asked the provider');
  expect(await countFailures(pod)).toBe(0);
  expect(listWarnings(pod)).toEqual([]);
});
