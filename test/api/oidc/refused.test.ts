import { randomUUID } from 'node:crypto';
import { afterAll, describe, expect, test } from 'vitest';
import { expectProblem } from '../../drivers/app/expect-problem.ts';
import { readCookies, readSession, signInByOidc, startIdentityProvider } from '../../drivers/app/identity-provider.ts';
import { openSharedApp } from '../../drivers/app/open-shared.ts';
import { changePassword, createPasswordUser } from '../../drivers/app/password-user.ts';
import { openTestApp, type TestResponse } from '../../drivers/app/test-app.ts';

const provider = await startIdentityProvider('http://widgets.example.test');
const service = await openSharedApp({ ...provider.settings });
const admin = await service.signedIn('admin');
afterAll(() => provider.close());

/** Adds a person at the provider. Returns the login, which is also the start of the e-mail address. */
function addPerson(claims: object): string {
  const login = randomUUID();
  provider.setPerson(login, { email: `${login}@example.com`, ...claims });
  return login;
}

const changeUser = (id: string, payload: object) => admin.patch(`/api/v1/users/${id}`, payload);

function expectRefused(response: TestResponse, detail: RegExp): void {
  expectProblem(response, { status: 403, code: 'sign-in-refused' });
  expect(response.json().detail).toMatch(detail);
  expect(readCookies(response)).toEqual([expect.stringMatching(/^service_sign_in_[\w-]{16}=$/)]);
}

describe('a sign-in is refused with 403 sign-in-refused', () => {
  test('for an ID token without the claim of the roles, which the reason names', async () => {
    expectRefused(await signInByOidc(service, addPerson({})), /no claim "roles"/);
    expectRefused(await signInByOidc(service, addPerson({ email: undefined, roles: ['staff'] })), /claim "email"/);
  });

  test.each([[['strangers']], [[]], ['Owners'], [{ owners: true }]])(
    'for the roles %j, which give none here; nobody is added',
    async (roles) => {
      const login = addPerson({ roles });
      expectRefused(await signInByOidc(service, login), /no role/);
      expect(await service.backend.users.find({ email: `${login}@example.com` })).toBeNull();
    },
  );

  test('for a user who has lost the role; all sessions of the user end', async () => {
    const login = addPerson({ roles: ['makers'] });
    const first = await signInByOidc(service, login);
    expect((await readSession(service, first)).user.role).toBe('editor');
    provider.setPerson(login, { email: `${login}@example.com`, roles: [] });
    expectRefused(await signInByOidc(service, login), /no role/);
    expect(await readSession(service, first)).toMatchObject({ code: 'not-authenticated' });
  });

  test('for a disabled user, also with another role, until an admin enables the user', async () => {
    const login = addPerson({ roles: ['makers'] });
    const { user } = await readSession(service, await signInByOidc(service, login));
    expect((await changeUser(user.id, { disabled: true })).statusCode).toBe(200);
    provider.setPerson(login, { email: `${login}@example.com`, roles: ['owners'] });
    expectRefused(await signInByOidc(service, login), /disabled/);
    await changeUser(user.id, { disabled: false });
    expect((await readSession(service, await signInByOidc(service, login))).user.role).toBe('admin');
  });

  test.each([undefined, 'not an address', ''])('for a new person with the e-mail address %j', async (email) => {
    expectRefused(await signInByOidc(service, addPerson({ email, roles: ['staff'] })), /e-mail/);
  });

  test.each([undefined, false, 'true'])(
    'for the address of a user with a password, if email_verified is %j',
    async (email_verified) => {
      const { user, signIn } = await createPasswordUser(service, 'correct horse battery');
      const login = addPerson({ email: user.email, email_verified, roles: ['owners'] });
      expectRefused(await signInByOidc(service, login), /Another user/);
      expect((await signIn('correct horse battery')).json().user).toMatchObject({ role: user.role, identity: null });
    },
  );

  test('for the verified address of a user of the provider, and of a disabled user with a password', async () => {
    const first = addPerson({ roles: ['staff'] });
    await signInByOidc(service, first);
    const namesake = addPerson({ email: `${first}@example.com`, email_verified: true, roles: ['owners'] });
    expectRefused(await signInByOidc(service, namesake), /Another user/);
    const { user } = await createPasswordUser(service, 'correct horse battery');
    await changeUser(user.id, { disabled: true });
    const owner = addPerson({ email: user.email, email_verified: true, roles: ['owners'] });
    expectRefused(await signInByOidc(service, owner), /disabled/);
    expect(await service.backend.users.get(user.id)).toMatchObject({ disabled: true });
  });

  test('for a person who cancels at the provider', async () => {
    expectRefused(await signInByOidc(service, ''), /did not sign you in/);
  });
});

test('a role that would leave the service without an admin is refused with 409 last-admin', async () => {
  const own = await startIdentityProvider('http://widgets.example.test');
  const empty = await openTestApp({ ...own.settings });
  own.setPerson('kim', { email: 'kim@example.com', roles: ['owners'] });
  const first = await signInByOidc(empty, 'kim');
  own.setPerson('kim', { email: 'kim@example.com', roles: ['staff'] });
  expectProblem(await signInByOidc(empty, 'kim'), { status: 409, code: 'last-admin' });
  expect((await readSession(empty, first)).user.role).toBe('admin');
  own.setPerson('alex', { email: 'alex@example.com', roles: ['owners'] });
  expect((await signInByOidc(empty, 'alex')).statusCode).toBe(303);
  expect((await readSession(empty, await signInByOidc(empty, 'kim'))).user.role).toBe('viewer');
  await empty.close();
  await own.close();
});

describe('a user of the provider has no password', () => {
  test('an admin cannot set one, the user cannot change one, and none signs in', async () => {
    const login = addPerson({ roles: ['makers'] });
    const response = await signInByOidc(service, login);
    const { user, csrfToken } = await readSession(service, response);
    const set = await changeUser(user.id, { password: 'correct horse battery', role: 'viewer' });
    expectProblem(set, { status: 409, code: 'user-has-no-password' });
    const headers = { cookie: readCookies(response)[0] ?? '', 'x-csrf-token': csrfToken };
    const passwords = { currentPassword: '', newPassword: 'correct horse battery' };
    expectProblem(await changePassword(service, headers, passwords), { status: 409, code: 'user-has-no-password' });
    for (const password of ['', 'null', 'correct horse battery']) {
      const payload = { email: user.email, password };
      const signIn = await service.post('/api/v1/session', payload);
      expectProblem(signIn, { status: 403, code: 'invalid-credentials' });
    }
    expect((await readSession(service, response)).user).toEqual(user);
  });
});

describe('with passwords switched off', () => {
  test('signing in and changing a password return 403 password-sign-in-disabled; the provider still signs in', async () => {
    const { user, startSession } = await createPasswordUser(service, 'correct horse battery');
    const headers = await startSession();
    const pod = await openTestApp({
      ...provider.settings,
      sharedBackend: service.backend,
      PASSWORD_SIGN_IN_ENABLED: false,
    });
    const payload = { email: user.email, password: 'correct horse battery' };
    const signIn = await pod.post('/api/v1/session', payload);
    expectProblem(signIn, { status: 403, code: 'password-sign-in-disabled' });
    const passwords = { currentPassword: 'correct horse battery', newPassword: 'correct horse battery 2' };
    const change = await changePassword(pod, headers, passwords);
    expectProblem(change, { status: 403, code: 'password-sign-in-disabled' });
    expect((await signInByOidc(pod, addPerson({ roles: ['staff'] }))).statusCode).toBe(303);
    const page = await pod.get('/docs');
    expect(page.body).toContain('href="api/v1/session/oidc"');
    expect(page.body).not.toContain('type="password"');
    await pod.close();
  });
});

describe('without an identity provider', () => {
  test('both routes return 404, and the docs page has no link', async () => {
    const pod = await openTestApp({ sharedBackend: service.backend });
    for (const url of ['/api/v1/session/oidc', '/api/v1/session/oidc/callback?code=c&state=s']) {
      expectProblem(await pod.get(url), { status: 404, code: 'not-found' });
    }
    expect((await pod.get('/docs')).body).not.toContain('oidc');
    await pod.close();
  });
});
