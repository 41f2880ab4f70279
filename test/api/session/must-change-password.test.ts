import { describe, expect, test } from 'vitest';
import { expectProblem } from '../../drivers/app/expect-problem.ts';
import { openSharedApp } from '../../drivers/app/open-shared.ts';
import { toSessionHeaders } from '../../drivers/app/password-user.ts';
import type { TestRoute } from '../../drivers/app/test-app.ts';

const givenPassword = 'a password of the admin';
const ownPassword = 'another one of their own';
const allowed = [
  ['DELETE', '/api/v1/session'],
  ['DELETE', '/api/v1/sessions'],
  ['GET', '/api/v1/session'],
  ['HEAD', '/api/v1/session'],
  ['PUT', '/api/v1/session/password'],
];

const service = await openSharedApp();
const admin = await service.signedIn('admin');

let created = 0;
async function createUser(role = 'admin') {
  created += 1;
  const payload = { email: `user-${created}@example.com`, password: givenPassword, role };
  const response = await admin.post('/api/v1/users', payload);
  expect(response.statusCode).toBe(201);
  return response.json() as { id: string; email: string; mustChangePassword: boolean };
}

async function signIn(email: string, password: string) {
  const response = await service.post('/api/v1/session', { email, password });
  expect(response.statusCode).toBe(200);
  return { body: response.json(), headers: toSessionHeaders(response) };
}

type Headers = Readonly<Record<string, string>>;
const send = ({ method, url }: Pick<TestRoute, 'method' | 'url'>, headers: Headers, payload?: object) =>
  service.inject({
    method: method as 'GET',
    url: url.replaceAll(/:\w+/g, '0197a0b0-0000-7000-8000-00000000abcd'),
    headers,
    ...(payload === undefined ? {} : { payload }),
  });
const listWidgets = (headers: Headers) => send({ method: 'GET', url: '/api/v1/widgets' }, headers);
const changePassword = (headers: Headers, currentPassword: string, newPassword: string) =>
  send({ method: 'PUT', url: '/api/v1/session/password' }, headers, { currentPassword, newPassword });

/** Changes the password. Returns the headers of the session that the change starts. */
async function choosePassword(headers: Headers) {
  const response = await changePassword(headers, givenPassword, ownPassword);
  expect(response.statusCode).toBe(200);
  expect(response.json().user.mustChangePassword).toBe(false);
  return toSessionHeaders(response);
}

describe('a user whose password an admin has set', () => {
  test('may only read the session, change the password and sign out', async () => {
    const user = await createUser();
    expect(user.mustChangePassword).toBe(true);
    const { body, headers } = await signIn(user.email, givenPassword);
    expect(body.user).toMatchObject({ id: user.id, mustChangePassword: true });
    const reached: string[][] = [];
    const routes = service.routes.filter(({ policy }) => policy === 'signed-in' || typeof policy === 'object');
    for (const route of routes.toSorted((a, b) => (a.method === 'DELETE' ? 1 : 0) - (b.method === 'DELETE' ? 1 : 0))) {
      const response = await send(route, headers);
      // A route that is not refused answers in its own way: 200, 204, or 400 for the missing body.
      if (response.statusCode !== 403) reached.push([route.method, route.url]);
      else if (route.method !== 'HEAD' && response.json().code !== 'not-authenticated') {
        expectProblem(response, { status: 403, code: 'password-change-required' });
      }
      if (route.url.startsWith('/api/v1/session') && route.method === 'DELETE') {
        Object.assign(headers, (await signIn(user.email, givenPassword)).headers);
      }
    }
    expect(reached.toSorted()).toEqual(allowed);
  });

  test('may do everything after changing it, in the session that the change starts and in new ones', async () => {
    const user = await createUser();
    const { headers } = await signIn(user.email, givenPassword);
    expectProblem(await listWidgets(headers), { status: 403, code: 'password-change-required' });
    expect((await listWidgets(await choosePassword(headers))).statusCode).toBe(200);
    expectProblem(await listWidgets(headers), { status: 403, code: 'not-authenticated' });
    const second = await signIn(user.email, ownPassword);
    expect(second.body.user.mustChangePassword).toBe(false);
    expect((await listWidgets(second.headers)).statusCode).toBe(200);
  });

  test('must choose another one', async () => {
    const user = await createUser();
    const { headers } = await signIn(user.email, givenPassword);
    const response = await changePassword(headers, givenPassword, givenPassword);
    expectProblem(response, { status: 400, code: 'weak-password' });
    expectProblem(await listWidgets(headers), { status: 403, code: 'password-change-required' });
  });

  test('must change it again when an admin sets another one, but not when an admin changes the role', async () => {
    const user = await createUser('viewer');
    const { headers } = await signIn(user.email, givenPassword);
    const ownHeaders = await choosePassword(headers);
    const patch = (payload: object) => admin.patch(`/api/v1/users/${user.id}`, payload);
    expect((await patch({ role: 'editor' })).json()).toMatchObject({ mustChangePassword: false });
    expect((await listWidgets(ownHeaders)).statusCode).toBe(200);
    expect((await patch({ password: 'a second one of the admin' })).json()).toMatchObject({ mustChangePassword: true });
    const again = await signIn(user.email, 'a second one of the admin');
    expectProblem(await listWidgets(again.headers), { status: 403, code: 'password-change-required' });
  });
});
