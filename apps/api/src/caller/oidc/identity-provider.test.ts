import { expect, onTestFinished, test, vi } from 'vitest';
import { openIdentityProvider } from './identity-provider.ts';

test('metadata with another issuer than the configured one is refused, such as that of Entra ID’s shared endpoint', async () => {
  const issuerUrl = 'https://login.example.com/common/v2.0';
  const metadata = {
    issuer: 'https://login.example.com/{tenantid}/v2.0',
    authorization_endpoint: `${issuerUrl}/authorize`,
    token_endpoint: `${issuerUrl}/token`,
    jwks_uri: `${issuerUrl}/keys`,
  };
  vi.stubGlobal('fetch', async () => Response.json(metadata));
  onTestFinished(() => void vi.unstubAllGlobals());
  const settings = { OIDC_ISSUER_URL: issuerUrl, OIDC_CLIENT_ID: 'widgets', OIDC_CLIENT_SECRET: 'of sixteen chars' };
  const provider = await openIdentityProvider(settings as never, { monotonicMs: () => 0 });
  await expect(provider?.begin()).rejects.toMatchObject({ code: 'identity-provider-unavailable' });
});
