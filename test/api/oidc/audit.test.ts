import { UnavailableError } from '@widget-service/shared/domain/errors.ts';
import { afterAll, describe, expect, onTestFinished, test } from 'vitest';
import { listAuditEvents, listAuditEventsOnce } from '../../drivers/app/audit-trail.ts';
import { finishOidcSignIn, signInByOidc, startIdentityProvider } from '../../drivers/app/identity-provider.ts';
import { openSharedApp } from '../../drivers/app/open-shared.ts';
import { overrideMethod } from '../../drivers/app/override-method.ts';
import { createPasswordUser } from '../../drivers/app/password-user.ts';
import { openTestApp, type TestCaller } from '../../drivers/app/test-app.ts';
import { eventually } from '../../drivers/tools/eventually.ts';

const provider = await startIdentityProvider('http://widgets.example.test');
provider.setPerson('kim', { email: 'kim@example.com', roles: ['makers'] });
const service = await openSharedApp({ ...provider.settings });
afterAll(() => provider.close());

test('a sign-in through the provider has an audit event with the user and the role, and a failed one has one', async () => {
  const admin = await service.signedIn('admin');
  expect((await signInByOidc(service, 'kim')).statusCode).toBe(303);
  await finishOidcSignIn(service, new URL('http://x/?code=c&state=s'), '');
  const user = await service.backend.users.find({ email: 'kim@example.com' });
  const query = `targetId=${user?.id}&action=session.created`;
  expect(await listAuditEventsOnce(service, admin, query)).toMatchObject([
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

describe('what the provider changes', () => {
  const origin = {
    actor: { kind: 'identity-provider', id: null },
    operation: 'example.session.finishOidc',
    outcome: 'succeeded',
    clientAddress: expect.any(String),
    requestId: expect.any(String),
  };
  /** The changes of the user, the newest first. */
  const listChanges = async (admin: TestCaller, userId: string | undefined) =>
    (await listAuditEvents(service, admin, `targetId=${userId}`)).filter(({ action }) => action.startsWith('user.'));

  test('a new user and each new role have an event, and a sign-in that changes nothing has none', async () => {
    const admin = await service.signedIn('admin');
    provider.setPerson('mo', { email: 'mo@example.com', roles: ['staff'] });
    await signInByOidc(service, 'mo');
    const user = await service.backend.users.find({ email: 'mo@example.com' });
    const created = {
      ...{ ...origin, action: 'user.created', target: { kind: 'user', id: user?.id }, before: null },
      after: { email: 'mo@example.com', name: null, role: 'viewer', disabled: false },
    };
    expect(await listChanges(admin, user?.id)).toMatchObject([created]);
    await signInByOidc(service, 'mo');
    expect(await listChanges(admin, user?.id)).toMatchObject([created]);
    provider.setPerson('mo', { email: 'mo@example.com', roles: ['makers'] });
    await signInByOidc(service, 'mo');
    const changed = { ...origin, action: 'user.changed', before: { role: 'viewer' }, after: { role: 'editor' } };
    expect(await listChanges(admin, user?.id)).toMatchObject([changed, created]);
  });

  test('a password that an identity replaces has an event, with the new role', async () => {
    const admin = await service.signedIn('admin');
    const { user } = await createPasswordUser(service, 'correct horse battery');
    provider.setPerson('pat', { email: user.email, email_verified: true, roles: ['owners'] });
    expect((await signInByOidc(service, 'pat')).statusCode).toBe(303);
    const changes = await listChanges(admin, user.id);
    expect(changes.map(({ before, after }) => ({ before, after }))).toEqual([
      { before: { signIn: 'password' }, after: { signIn: 'identity-provider' } },
      { before: { role: user.role }, after: { role: 'admin' } },
    ]);
    for (const change of changes) expect(change).toMatchObject({ ...origin, action: 'user.changed' });
  });

  test('a role that was stored has an event even if the sign-in fails afterwards', async () => {
    const admin = await service.signedIn('admin');
    provider.setPerson('sam', { email: 'sam@example.com', roles: ['staff'] });
    await signInByOidc(service, 'sam');
    const user = await service.backend.users.find({ email: 'sam@example.com' });
    const pod = await openTestApp({
      ...provider.settings,
      sharedBackend: service.backend,
      replace: ({ sessions }) => ({
        sessions: overrideMethod(sessions, 'insert', async () => {
          throw new UnavailableError('unavailable in this test');
        }),
      }),
    });
    onTestFinished(() => pod.close());
    provider.setPerson('sam', { email: 'sam@example.com', roles: ['owners'] });
    expect((await signInByOidc(pod, 'sam')).statusCode).toBe(503);
    await eventually(async () => (await listChanges(admin, user?.id)).length === 2, 'the change is listed');
    expect(await listChanges(admin, user?.id)).toMatchObject([
      { ...origin, action: 'user.changed', before: { role: 'viewer' }, after: { role: 'admin' } },
      { action: 'user.created' },
    ]);
  });
});
