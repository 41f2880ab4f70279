import { randomUUID } from 'node:crypto';
import { UnavailableError } from '@widget-service/shared/domain/errors.ts';
import { afterAll, describe, expect, onTestFinished, test } from 'vitest';
import { aUser } from '../../drivers/app/builders.ts';
import { expectProblem } from '../../drivers/app/expect-problem.ts';
import {
  finishOidcSignIn,
  readCookies,
  readSession,
  signInAtProvider,
  signInByOidc,
  startIdentityProvider,
  startOidcSignIn,
} from '../../drivers/app/identity-provider.ts';
import { openSharedApp } from '../../drivers/app/open-shared.ts';
import { overrideMethod } from '../../drivers/app/override-method.ts';
import { createPasswordUser } from '../../drivers/app/password-user.ts';
import { openTestApp } from '../../drivers/app/test-app.ts';

const password = 'correct horse battery';
const provider = await startIdentityProvider('http://widgets.example.test');
const service = await openSharedApp({ ...provider.settings });
const admin = await service.signedIn('admin');
afterAll(() => provider.close());

/** Adds a person at the provider, whose address is verified. Returns the login. */
function addPerson(claims: object): string {
  const login = randomUUID();
  provider.setPerson(login, { email: `${login}@example.com`, email_verified: true, ...claims });
  return login;
}

describe('a user with a password who signs in through the provider', () => {
  test('may use the service, even if the password had to be changed', async () => {
    const user = aUser({ mustChangePassword: true });
    await service.backend.users.insert(user);
    const [cookie = ''] = readCookies(await signInByOidc(service, addPerson({ email: user.email, roles: ['staff'] })));
    const widgets = await service.get('/api/v1/widgets', { cookie });
    expect(widgets.statusCode).toBe(200);
  });

  test('keeps everything if the new role would leave no admin', async () => {
    const alone = await openTestApp({ ...provider.settings });
    onTestFinished(() => alone.close());
    const { user, signIn, startSession, getSession } = await createPasswordUser(alone, password);
    await alone.backend.users.change(user.id, () => ({ role: 'admin' }));
    const session = await startSession();
    const login = addPerson({ email: user.email, roles: ['staff'] });
    expectProblem(await signInByOidc(alone, login), { status: 409, code: 'last-admin' });
    expect((await getSession(session)).statusCode).toBe(200);
    expect((await signIn(password)).json().user.role).toBe('admin');
  });

  test('keeps the password while disabled', async () => {
    const { user } = await createPasswordUser(service, password);
    await service.backend.users.change(user.id, () => ({ disabled: true }));
    await signInByOidc(service, addPerson({ email: user.email, roles: ['owners'] }));
    expect(await service.backend.users.get(user.id)).toEqual({ ...user, disabled: true });
  });

  test('has no old session left after a failure and a second try', async () => {
    const { user, startSession, getSession } = await createPasswordUser(service, password);
    const session = await startSession();
    let isBroken = true;
    const pod = await openTestApp({
      ...provider.settings,
      sharedBackend: service.backend,
      replace: ({ sessions }) => ({
        sessions: overrideMethod(sessions, 'removeAll', async (...args) => {
          if (isBroken) throw new UnavailableError('unavailable in this test');
          return sessions.removeAll(...args);
        }),
      }),
    });
    onTestFinished(() => pod.close());
    const login = addPerson({ email: user.email, roles: ['staff'] });
    expect((await signInByOidc(pod, login)).statusCode).toBe(503);
    isBroken = false;
    expect((await signInByOidc(pod, login)).statusCode).toBe(303);
    expect((await getSession(session)).statusCode).toBe(403);
  });
});

test('a sign-in through the provider ends the session that the browser had before', async () => {
  const { startSession, getSession } = await createPasswordUser(service, password);
  const session = await startSession();
  const { url, cookie } = await startOidcSignIn(service);
  const callback = await signInAtProvider(url, addPerson({ roles: ['staff'] }));
  expect((await finishOidcSignIn(service, callback, `${cookie}; ${session.cookie}`)).statusCode).toBe(303);
  expect((await getSession(session)).statusCode).toBe(403);
});

test('an admin who sets a password of a user of the provider learns that the user has none, even if it is weak', async () => {
  const { user } = await readSession(service, await signInByOidc(service, addPerson({ roles: ['staff'] })));
  const response = await admin.patch(`/api/v1/users/${user.id}`, { password: 'password1234' });
  expectProblem(response, { status: 409, code: 'user-has-no-password' });
});
