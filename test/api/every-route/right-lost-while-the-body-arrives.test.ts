import { setTimeout as delay } from 'node:timers/promises';
import { type Permission, permissionsForRole } from '@widget-service/shared/domain/role.ts';
import { expect, test } from 'vitest';
import { signIn, testAdmin } from '../../drivers/app/console-client.ts';
import { openSharedService } from '../../drivers/app/open-shared.ts';
import { createPasswordUser } from '../../drivers/app/password-user.ts';
import { makeSourceClient, secret } from '../../drivers/app/source-client.ts';
import { openTestApp, type TestRoute } from '../../drivers/app/test-app.ts';
import { eventually } from '../../drivers/tools/eventually.ts';
import { openSocket, parseResponses, readToEnd } from '../bad-input/raw-connection.ts';

const service = await openSharedService();
const port = Number(new URL(service.url).port);
/** A second pod on the same stores: it signs users in, and lists the routes. */
const app = await openTestApp({ sharedBackend: service.backend });
const admin = await app.signedIn('admin');
const anId = '0197a0b0-0000-7000-8000-00000000abcd';

/** From the age of a second on, the right of a request is checked again; and a busy service begins to count later. */
const arrivesLateMs = 1_800;

type Headers = Readonly<Record<string, string>>;

async function send(method: string, path: string, headers: Headers, body?: object | string) {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return fetch(`${service.url}${path}`, {
    method,
    headers: body === undefined ? headers : { 'content-type': 'application/json', ...headers },
    ...(body === undefined ? {} : { body: text }),
  });
}

/** Does this as the admin, and expects success. */
async function administer(method: string, path: string, body?: object) {
  const response = await send(method, `/api/v1${path}`, admin.headers, body);
  expect(response.ok, `${method} ${path} ${response.status}`).toBe(true);
  // biome-ignore lint/suspicious/noExplicitAny: each caller knows the shape.
  return response.status === 204 ? null : ((await response.json()) as any);
}

/** Sends the headers of a request and its body but for the last byte. `finish` sends that, and returns the answer. */
async function sendHalf({ method, path, headers, body = '{}' }: HalfRequest, toPort = port) {
  const socket = await openSocket(toPort);
  const sent = { host: 'localhost', connection: 'close', 'content-type': 'application/json', ...headers };
  const lines = Object.entries({ ...sent, 'content-length': String(body.length) }).map(
    ([name, value]) => `${name}: ${value}`,
  );
  socket.write(`${method} ${path} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n${body.slice(0, -1)}`);
  return async () => {
    socket.write(body.slice(-1));
    const [response] = parseResponses(await readToEnd(socket));
    const { code } = JSON.parse(response?.body || '{}') as { code?: string };
    return { request: `${method} ${path}`, status: response?.status, code };
  };
}

interface HalfRequest {
  readonly method: string;
  readonly path: string;
  readonly headers?: Headers;
  readonly body?: string;
}

/**
 * Sends every request by half, takes the right, waits until a whole request is refused, and sends the other halves.
 * Returns the answers that are not the expected refusal.
 */
async function loseRightMeanwhile(
  requests: readonly HalfRequest[],
  takeRight: () => Promise<unknown>,
  refused: { readonly status: number; readonly code: string },
) {
  expect(requests.length).toBeGreaterThan(0);
  const finishers = await Promise.all(requests.map((request) => sendHalf(request)));
  await delay(arrivesLateMs);
  await takeRight();
  const [{ method, path, headers = {}, body = '{}' }] = requests as [HalfRequest];
  await eventually(
    async () => (await send(method, path, headers, body)).status === refused.status,
    'a whole request is refused',
  );
  const answers = await Promise.all(finishers.map((finish) => finish()));
  return answers.filter(({ status, code }) => status !== refused.status || code !== refused.code);
}

/** Every route that reads a body, with what it needs: a session, and perhaps a permission. */
const readsBody = ({ method }: TestRoute) => !['GET', 'HEAD', 'OPTIONS'].includes(method);
const permissionOf = ({ policy }: TestRoute): Permission | null =>
  typeof policy === 'object' ? policy.permission : null;
const sessionRoutes = app.routes.filter(
  (route) => readsBody(route) && (route.policy === 'signed-in' || permissionOf(route) !== null),
);
const toRequest = ({ method, url }: TestRoute, headers: Headers): HalfRequest => ({
  method,
  path: url.replaceAll(/:\w+/g, anId),
  headers,
});

const notAuthenticated = { status: 403, code: 'not-authenticated' };
const invalidToken = { status: 400, code: 'invalid-hook-token' };
const password = 'correct horse battery staple';

test('the routes that read a body have the policies that this file covers', () => {
  expect(sessionRoutes.length).toBeGreaterThan(25);
  const others = app.routes.filter((route) => readsBody(route) && !sessionRoutes.includes(route));
  // A sign-in reads its credentials from the body.
  expect(others.map(({ policy }) => policy).sort()).toEqual(['hook-token', 'own-origin']);
});

test.concurrent.each<[string, (userId: string) => Promise<unknown>]>([
  ['the sessions of the user were ended', (id) => administer('DELETE', `/users/${id}/sessions`)],
  ['the user was disabled', (id) => administer('PATCH', `/users/${id}`, { disabled: true })],
  ['an admin set another password', (id) => administer('PATCH', `/users/${id}`, { password: `${password} 2` })],
])('a request whose body arrives after %s is refused, on every route', async (_name, takeRight) => {
  const { userId, headers } = await app.signedIn('admin');
  const requests = sessionRoutes.map((route) => toRequest(route, headers));
  expect(await loseRightMeanwhile(requests, () => takeRight(userId), notAuthenticated)).toEqual([]);
});

test.concurrent('a request whose body arrives after its session was signed out is refused, on every route', async () => {
  const { headers } = await app.signedIn('admin');
  const requests = sessionRoutes.map((route) => toRequest(route, headers));
  const signOut = () => send('DELETE', '/api/v1/session', headers);
  expect(await loseRightMeanwhile(requests, signOut, notAuthenticated)).toEqual([]);
});

test.concurrent('a request whose body arrives after its user changed the password elsewhere is refused, on every route', async () => {
  const { startSession } = await createPasswordUser(app, password);
  const headers = await startSession();
  const elsewhere = await startSession();
  const requests = sessionRoutes
    .filter((route) => permissionOf(route) === null)
    .map((route) => toRequest(route, headers));
  const change = { currentPassword: password, newPassword: `${password} 3` };
  const changePassword = async () =>
    expect((await send('PUT', '/api/v1/session/password', elsewhere, change)).ok).toBe(true);
  expect(await loseRightMeanwhile(requests, changePassword, notAuthenticated)).toEqual([]);
});

test.concurrent('a request whose body arrives after the role was lowered is refused, on every route for another role', async () => {
  const { userId, headers } = await app.signedIn('admin');
  const requests = sessionRoutes
    .filter((route) => {
      const permission = permissionOf(route);
      return permission !== null && !permissionsForRole('viewer').includes(permission);
    })
    .map((route) => toRequest(route, headers));
  const lowerRole = () => administer('PATCH', `/users/${userId}`, { role: 'viewer' });
  const refused = { status: 403, code: 'permission-denied' };
  expect(await loseRightMeanwhile(requests, lowerRole, refused)).toEqual([]);
});

/** How a token stops working. `rotate` first makes it the previous one. */
const waysToLoseToken: readonly [string, { rotate: boolean; end: (path: string) => Promise<unknown> }][] = [
  ['was revoked', { rotate: false, end: (path) => administer('DELETE', path) }],
  ['expired', { rotate: false, end: (path) => administer('PATCH', path, { expiresAt: new Date(Date.now() + 500) }) }],
  ['was replaced', { rotate: false, end: (path) => administer('POST', `${path}/rotate`, { overlapSeconds: 0 }) }],
  ['was ended as the previous one', { rotate: true, end: (path) => administer('DELETE', `${path}/previous-token`) }],
];

async function issueToken(collection: string, members: object, { rotate }: { rotate: boolean }) {
  const { id, token } = await administer('POST', collection, { name: 'late', ...members });
  const path = `${collection}/${id}`;
  if (rotate) await administer('POST', `${path}/rotate`, { overlapSeconds: 3_600 });
  return { path, token: token as string };
}

test.concurrent.each(waysToLoseToken)('a hook whose body arrives after its token %s is refused', async (_name, way) => {
  const { path, token } = await issueToken('/integrations', {}, way);
  const body = JSON.stringify({ kind: 'updated', occurredAt: '2026-01-01T00:00:00Z' });
  const requests = [{ method: 'POST', path: `/api/v1/events/hooks/${token}`, body }];
  expect(await loseRightMeanwhile(requests, () => way.end(path), invalidToken)).toEqual([]);
});

test.concurrent.each(waysToLoseToken)(
  'a request whose body arrives after its provision token %s is refused',
  async (_name, way) => {
    const { path, token } = await issueToken('/provision-tokens', {}, way);
    const headers = { authorization: `Bearer ${token}` };
    const requests = sessionRoutes
      .filter(({ policy }) => typeof policy === 'object' && policy.acceptsBearer === true)
      .map((route) => toRequest(route, headers));
    expect(await loseRightMeanwhile(requests, () => way.end(path), notAuthenticated)).toEqual([]);
  },
);

test.concurrent('a request whose body arrives late counts once against the limit of its user', async () => {
  const { email, password: adminPassword } = testAdmin;
  const admission = { ADMIN_EMAIL: email, ADMIN_PASSWORD: adminPassword, API_RATE_PER_SECOND: '1' };
  const limited = await openSharedService(admission);
  const { cookie, csrfToken } = await signIn(limited.url);
  const half = { method: 'POST', path: '/api/v1/widgets', headers: { cookie, 'x-csrf-token': csrfToken } };
  // Five at once are allowed, and one more each second.
  const late = Array.from({ length: 5 }, (_, index) => ({ ...half, body: `{"name":"late ${index}"}` }));
  const finishers = await Promise.all(late.map((request) => sendHalf(request, Number(new URL(limited.url).port))));
  await delay(arrivesLateMs);
  const answers = await Promise.all(finishers.map((finish) => finish()));
  expect(answers.map(({ status }) => status)).toEqual([201, 201, 201, 201, 201]);
});

test.concurrent('a hook whose body arrives after the secrets of its source were replaced needs the new secret', async () => {
  const { createGitHub, sign } = makeSourceClient(app, admin.headers);
  const { id, hookPath } = await createGitHub();
  const body = JSON.stringify({ action: 'opened' });
  const post = (signedWith: string) => ({ method: 'POST', path: hookPath, body, headers: sign(body, signedWith) });
  const [finishOld, finishNew] = await Promise.all([
    sendHalf(post(secret)),
    sendHalf(post('a newer secret of theirs')),
  ]);
  await delay(arrivesLateMs);
  await administer('PUT', `/integrations/${id}/source/secrets`, { secrets: ['a newer secret of theirs'] });
  await eventually(
    async () => (await send('POST', hookPath, sign(body, secret), body)).status === 400,
    'a whole hook with the old secret is refused',
  );
  expect(await finishOld()).toMatchObject({ status: 400, code: 'invalid-hook-signature' });
  expect(await finishNew()).toMatchObject({ status: 202 });
});
