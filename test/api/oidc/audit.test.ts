import { afterAll, beforeAll, expect, test } from 'vitest';
import { listAuditEventsOnce } from '../../drivers/audit-trail.ts';
import { eventually } from '../../drivers/eventually.ts';
import { startIdentityProvider, type TestIdentityProvider } from '../../drivers/identity-provider.ts';
import { finishOidcSignIn, signInByOidc } from '../../drivers/oidc-sign-in.ts';
import { openTestApp, type TestApp } from '../../drivers/test-app.ts';

let provider: TestIdentityProvider;
let service: TestApp;
beforeAll(async () => {
  provider = await startIdentityProvider('http://widgets.example.test');
  provider.setPerson('kim', { email: 'kim@example.com', roles: ['makers'] });
  service = await openTestApp({ identityProvider: provider.options });
});
afterAll(async () => {
  await service.close();
  await provider.close();
});

test('a sign-in through the provider has an audit event with the user and the role, and a failed one has one', async () => {
  const admin = await service.signedIn('admin');
  expect((await signInByOidc(service, 'kim')).statusCode).toBe(303);
  await finishOidcSignIn(service, new URL('http://x/?code=c&state=s'), '');
  const user = await service.backend.users.findByEmail('kim@example.com');
  expect(await listAuditEventsOnce(service, admin, `targetId=${user?.id}`)).toMatchObject([
    {
      action: 'session.created',
      operation: 'example.session.finishOidc',
      outcome: 'succeeded',
      actor: { kind: 'user', id: user?.id },
      after: { sessionId: expect.any(String), role: user?.role },
    },
  ]);
  const findFailure = async (code: string) =>
    (await listAuditEventsOnce(service, admin, 'action=session.failed')).find((event) => event.code === code);
  expect(await findFailure('sign-in-not-verified')).toMatchObject({
    operation: 'example.session.finishOidc',
    outcome: 'refused',
    emailHmac: null,
  });
  provider.setPerson('lee', { email: 'lee@example.com', roles: [] });
  expect((await signInByOidc(service, 'lee')).statusCode).toBe(403);
  await eventually(async () => (await findFailure('sign-in-refused')) !== undefined, 'the refusal is listed');
  expect((await findFailure('sign-in-refused'))?.emailHmac).toMatch(/^[\da-f]{64}$/);
});
