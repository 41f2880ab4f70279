import { expect, test } from 'vitest';
import { expectProblem } from '../../drivers/app/expect-problem.ts';
import { openSharedApp } from '../../drivers/app/open-shared.ts';
import type { TestCaller, TestRoute } from '../../drivers/app/test-app.ts';

/** No permit returns while a test runs. */
const api = { ratePerSecond: 0.001, burst: 3 };
const service = await openSharedApp({ limits: { api } });

const isAuthenticated = ({ policy }: TestRoute) => policy === 'signed-in' || typeof policy === 'object';

function send({ method, url }: Pick<TestRoute, 'method' | 'url'>, headers: Readonly<Record<string, string>>) {
  const path = url.replaceAll(/:\w+/g, '0197a0b0-0000-7000-8000-00000000abcd');
  return service.inject({ method: method as 'GET', url: path, headers });
}

test('every route that needs a session is refused beyond the limit of the user, and says so', async () => {
  const admin = await service.signedIn('admin');
  for (let request = 0; request < api.burst; request += 1) {
    expect((await send({ method: 'GET', url: '/api/v1/session' }, admin.headers)).statusCode).toBe(200);
  }
  const routes = service.routes.filter(isAuthenticated);
  expect(routes.length).toBeGreaterThan(30);
  const statuses = new Map<string, number>();
  for (const route of routes) {
    const response = await send(route, admin.headers);
    statuses.set(`${route.method} ${route.url}`, response.statusCode);
    if (response.statusCode !== 429) continue;
    expect(response.headers['ratelimit-policy']).toBe('"api";q=3;w=3000');
    expect(response.headers.ratelimit).toMatch(/^"api";r=0;t=\d+$/);
    if (route.method !== 'HEAD') expectProblem(response, { status: 429, code: 'rate-limited' });
  }
  expect([...statuses].filter(([, status]) => status !== 429)).toEqual([]);
});

test('a viewer sends no more changes at once than the burst', async () => {
  const viewer = await service.signedIn('viewer');
  const requests = Array.from({ length: 100 }, () =>
    send({ method: 'DELETE', url: '/api/v1/sessions/x' }, viewer.headers),
  );
  const statuses = (await Promise.all(requests)).map(({ statusCode }) => statusCode);
  expect(statuses.filter((status) => status === 404)).toHaveLength(api.burst);
  expect(statuses.filter((status) => status === 429)).toHaveLength(100 - api.burst);
});

test('the limit is that of the user: another session shares it, another user does not', async () => {
  const [user, other] = [await service.signedIn('viewer'), await service.signedIn('viewer')];
  for (let request = 0; request < api.burst; request += 1) {
    await send({ method: 'GET', url: '/api/v1/session' }, user.headers);
  }
  expect((await send({ method: 'GET', url: '/api/v1/widgets' }, user.headers)).statusCode).toBe(429);
  expect((await send({ method: 'GET', url: '/api/v1/session' }, other.headers)).statusCode).toBe(200);
});

test('a create beyond the limit makes no widget. The limit is checked before the body', async () => {
  const { headers } = await service.signedIn('editor');
  const create = (withHeaders: Readonly<Record<string, string>>, payload: object | string = { name: 'lamp' }) =>
    service.post('/api/v1/widgets', payload, withHeaders);
  expect((await create(headers)).statusCode).toBe(201);
  expectProblem(await create(headers, { name: '' }), { status: 400, code: 'invalid-request' });
  expect((await create(headers)).statusCode).toBe(201);
  const key = { 'idempotency-key': 'not created' };
  expectProblem(await create({ ...headers, ...key }, { name: 'not created' }), { status: 429, code: 'rate-limited' });
  expectProblem(await create(headers, 'x'.repeat(100_000)), { status: 429, code: 'rate-limited' });
  const viewer = await service.signedIn('viewer');
  const page = await viewer.get('/api/v1/widgets');
  expect(page.body).toContain('lamp');
  expect(page.body).not.toContain('not created');
});

test.each([
  ['without the permission', 'permission-denied', ({ headers }: TestCaller) => headers],
  ['without the CSRF token', 'csrf-token-invalid', ({ cookie }: TestCaller) => ({ cookie })],
] as const)('requests %s count, too', async (_, code, pickHeaders) => {
  const headers = pickHeaders(await service.signedIn('viewer'));
  const request = () => send({ method: 'POST', url: '/api/v1/users' }, headers);
  for (let count = 0; count < api.burst; count += 1) expectProblem(await request(), { status: 403, code });
  expectProblem(await request(), { status: 429, code: 'rate-limited' });
});
