import { UnavailableError } from '@widget-service/shared/domain/errors.ts';
import { afterAll, describe, expect, onTestFinished, test } from 'vitest';
import { aUser } from '../../drivers/app/builders.ts';
import { expectProblem } from '../../drivers/app/expect-problem.ts';
import {
  finishOidcSignIn,
  type PersonClaims,
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

const publicBaseUrl = 'http://widgets.example.test/base';
const provider = await startIdentityProvider(publicBaseUrl);
const service = await openSharedApp({ ...provider.settings, COOKIE_SECURE: true });
afterAll(() => provider.close());

const admin = await service.signedIn('admin');
const password = 'correct horse battery';

let people = 0;
/** Adds a person with these claims, and an e-mail address unless it is given. Returns the login. */
function addPerson(claims: PersonClaims): string {
  people += 1;
  const login = `person-${people}`;
  provider.setPerson(login, { email: `${login}@example.com`, ...claims });
  return login;
}

describe('GET /api/v1/session/oidc', () => {
  test('sends the browser to the provider, with PKCE, state and nonce', async () => {
    const { response, url } = await startOidcSignIn(service);
    expect(response.statusCode).toBe(303);
    const { origin, searchParams } = new URL(url);
    expect(origin).toBe(provider.settings.OIDC_ISSUER_URL);
    expect(Object.fromEntries(searchParams)).toEqual({
      client_id: 'widget-service',
      redirect_uri: `${publicBaseUrl}/api/v1/session/oidc/callback`,
      response_type: 'code',
      scope: 'openid email profile',
      state: expect.stringMatching(/^[\w-]{43}$/),
      nonce: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge_method: 'S256',
    });
  });

  test('keeps the sign-in in a sealed cookie that no other host can set', async () => {
    const { response, url } = await startOidcSignIn(service);
    const setCookie = String(response.headers['set-cookie']);
    expect(setCookie).toMatch(
      /^__Host-service_sign_in_[\w-]{16}=[\w-]+; Max-Age=600; Path=\/; HttpOnly; Secure; SameSite=Lax$/,
    );
    const sealed = Buffer.from(setCookie.split(/[=;]/)[1] ?? '', 'base64url').toString('latin1');
    const { searchParams } = new URL(url);
    for (const secret of [searchParams.get('state'), searchParams.get('nonce')]) {
      expect(`${setCookie}${sealed}`).not.toContain(secret);
    }
  });
});

describe('GET /api/v1/session/oidc/callback', () => {
  test('starts a session and returns to the page where the sign-in was started', async () => {
    const login = addPerson({ roles: ['makers'] });
    const { url, cookie } = await startOidcSignIn(service, '/base/docs?tab=1#top');
    const response = await finishOidcSignIn(service, await signInAtProvider(url, login), cookie);
    expect(response.statusCode).toBe(303);
    expect(response.headers.location).toBe('/base/docs?tab=1#top');
    const [sessionCookie, cleared] = [response.headers['set-cookie'] ?? []].flat();
    expect(sessionCookie).toMatch(/^service_console=[\w-]{43}; Path=\/; HttpOnly; Secure; SameSite=Lax$/);
    expect(cleared).toMatch(/^__Host-service_sign_in_[\w-]{16}=; Max-Age=0; Path=\/; HttpOnly; Secure; /);
    const session = await readSession(service, response);
    expect(session).toMatchObject({
      user: {
        email: `${login}@example.com`,
        role: 'editor',
        disabled: false,
        identity: { issuer: provider.settings.OIDC_ISSUER_URL, subject: login },
        lastSignInAt: expect.any(String),
      },
      permissions: ['widgets:read', 'widgets:create'],
    });
    expect(Date.parse(session.expiresAt) - Date.now()).toBeLessThanOrEqual(168 * 3_600_000);
  });

  test('returns to the start page without returnTo', async () => {
    const response = await signInByOidc(service, addPerson({ roles: 'staff' }));
    expect(response.headers.location).toBe('/base/');
  });

  test('finds the user again, also under another e-mail address, and takes the new role of each sign-in', async () => {
    const login = addPerson({ roles: ['staff', 'owners'] });
    const first = await signInByOidc(service, login);
    const { user } = await readSession(service, first);
    expect(user.role).toBe('admin');
    await service.signedIn('admin');
    provider.setPerson(login, { email: 'another@example.com', roles: ['staff', 'unknown'] });
    const second = await readSession(service, await signInByOidc(service, login));
    expect(second.user).toMatchObject({ id: user.id, email: user.email, role: 'viewer' });
    // A role is read for every request, so the first session has the new one, too.
    expect((await readSession(service, first)).permissions).toEqual(['widgets:read']);
  });

  test('is answered by another pod than the one that started the sign-in', async () => {
    const login = addPerson({ roles: ['staff'] });
    const other = await openTestApp({
      ...provider.settings,
      sharedBackend: service.backend,
      COOKIE_SECURE: true,
    });
    const response = await signInByOidc(service, login, other);
    expect(response.statusCode).toBe(303);
    expect((await readSession(service, response)).user.identity.subject).toBe(login);
    await other.close();
  });

  test('adds one user when a person signs in twice at the same time', async () => {
    const login = addPerson({ roles: ['staff'] });
    const responses = await Promise.all([1, 2, 3, 4].map(() => signInByOidc(service, login)));
    const sessions = await Promise.all(responses.map((response) => readSession(service, response)));
    expect(new Set(sessions.map(({ user }) => user.id)).size).toBe(1);
  });

  test.each([
    ['before its e-mail address is looked up', false],
    ['before its e-mail address is looked up, which is verified', true],
  ])('finds the user whom a concurrent sign-in of this person adds %s', async (_, email_verified) => {
    const login = addPerson({ roles: ['staff'], email_verified });
    const { user } = await readSession(service, await signInByOidc(service, login));
    let reads = 0;
    const pod = await openTestApp({
      ...provider.settings,
      sharedBackend: service.backend,
      // The first read comes before the other sign-in.
      replace: ({ users }) => ({
        users: overrideMethod(users, 'find', (...alternatives) => {
          reads += 1;
          return reads === 1 ? Promise.resolve(null) : users.find(...alternatives);
        }),
      }),
    });
    expect((await readSession(service, await signInByOidc(pod, login))).user.id).toBe(user.id);
    await pod.close();
  });

  test('asks the provider once for its metadata and keys, then only for tokens', async () => {
    const pod = await openTestApp({
      ...provider.settings,
      sharedBackend: service.backend,
      COOKIE_SECURE: true,
    });
    const logins = [addPerson({ roles: ['staff'] }), addPerson({ roles: ['staff'] })];
    const before = provider.requests.length;
    for (const login of logins) await signInByOidc(pod, login);
    const sent = provider.requests.slice(before).filter((path) => !/^\/(auth|interaction)/.test(path));
    expect(sent).toEqual(['/.well-known/openid-configuration', '/token', '/jwks', '/token']);
    await pod.close();
  });

  test('logs no code, state, cookie or e-mail address', async () => {
    const login = addPerson({ roles: ['staff'] });
    const { url, cookie } = await startOidcSignIn(service);
    const callback = await signInAtProvider(url, login);
    const response = await finishOidcSignIn(service, callback, cookie);
    const logged = service.logLines.join('');
    const { searchParams } = callback;
    const secrets = [searchParams.get('code'), searchParams.get('state'), cookie, ...readCookies(response)];
    for (const secret of [...secrets, provider.settings.OIDC_CLIENT_SECRET, login])
      expect(logged).not.toContain(secret);
  });
});

describe('a user with a password whose e-mail address the provider has verified', () => {
  test('gets the identity instead of the password, and all sessions of the password end', async () => {
    const account = await createPasswordUser(service, password);
    const session = await account.startSession();
    const login = addPerson({ email: account.user.email.toUpperCase(), email_verified: true, roles: ['makers'] });
    const { user } = await readSession(service, await signInByOidc(service, login));
    expect(user).toMatchObject({ id: account.user.id, role: 'editor', identity: { subject: login } });
    expect((await account.getSession(session)).statusCode).toBe(403);
    expect((await account.signIn(password)).json().code).toBe('invalid-credentials');
  });
});

test('HEAD neither starts a sign-in nor finishes one', async () => {
  const { url, cookie } = await startOidcSignIn(service);
  const callback = await signInAtProvider(url, addPerson({ roles: ['staff'] }));
  for (const path of ['/api/v1/session/oidc', `/api/v1/session/oidc/callback${callback.search}`]) {
    const response = await service.inject({ method: 'HEAD', url: path, headers: { cookie } });
    expect(response.statusCode).toBe(405);
    expect(response.headers.allow).toBe('GET');
    expect(response.headers['set-cookie']).toBeUndefined();
  }
  expect((await finishOidcSignIn(service, callback, cookie)).statusCode).toBe(303);
});

describe('a user with a password who signs in through the provider', () => {
  test('may use the service, even if the password had to be changed', async () => {
    const user = aUser({ mustChangePassword: true });
    await service.backend.users.insert(user);
    const [cookie = ''] = readCookies(
      await signInByOidc(service, addPerson({ email: user.email, email_verified: true, roles: ['staff'] })),
    );
    const widgets = await service.get('/api/v1/widgets', { cookie });
    expect(widgets.statusCode).toBe(200);
  });

  test('keeps everything if the new role would leave no admin', async () => {
    const alone = await openTestApp({ ...provider.settings });
    onTestFinished(() => alone.close());
    const { user, signIn, startSession, getSession } = await createPasswordUser(alone, password);
    await alone.backend.users.change(user.id, () => ({ role: 'admin' }));
    const session = await startSession();
    const login = addPerson({ email: user.email, email_verified: true, roles: ['staff'] });
    expectProblem(await signInByOidc(alone, login), { status: 409, code: 'last-admin' });
    expect((await getSession(session)).statusCode).toBe(200);
    expect((await signIn(password)).json().user.role).toBe('admin');
  });

  test('keeps the password while disabled', async () => {
    const { user } = await createPasswordUser(service, password);
    await service.backend.users.change(user.id, () => ({ disabled: true }));
    await signInByOidc(service, addPerson({ email: user.email, email_verified: true, roles: ['owners'] }));
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
    const login = addPerson({ email: user.email, email_verified: true, roles: ['staff'] });
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
