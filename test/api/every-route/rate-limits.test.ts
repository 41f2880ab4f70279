import { expect, onTestFinished, test } from 'vitest';
import { expectProblem } from '../../drivers/app/expect-problem.ts';
import { expectRateLimit, expectSeconds } from '../../drivers/app/expect-rate-limit.ts';
import { openSharedApp } from '../../drivers/app/open-shared.ts';
import { openTestApp, type TestCaller, type TestRoute } from '../../drivers/app/test-app.ts';

/** A permit returns after 100 s, so none returns while a test runs. */
const api = { ratePerSecond: 0.01, burst: 3 };
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
    expect(response.headers['ratelimit-policy']).toBe('"api";q=3;w=300');
    expect(response.headers.ratelimit).toMatch(/^"api";r=0;t=\d+$/);
    if (route.method !== 'HEAD') expectProblem(response, { status: 429, code: 'rate-limited' });
  }
  expect([...statuses].filter(([, status]) => status !== 429)).toEqual([]);
});

test('each response says what is left, also one with 400 and that of a HEAD, and a refusal when to come back', async () => {
  const { headers } = await service.signedIn('viewer');
  const sent = [
    { method: 'GET', url: '/api/v1/widgets' },
    { method: 'GET', url: '/api/v1/widgets?page=0' },
    { method: 'HEAD', url: '/api/v1/widgets' },
  ];
  const responses = [];
  for (const request of sent) responses.push(await send(request, headers));
  expect(responses.map(({ statusCode }) => statusCode)).toEqual([200, 400, 200]);
  for (const [index, response] of responses.entries()) {
    expect(response.headers['ratelimit-policy']).toBe('"api";q=3;w=300');
    expectRateLimit(response, { name: 'api', remaining: 2 - index, resetSeconds: 100 * (index + 1) });
    expect(response.headers['retry-after']).toBeUndefined();
  }
  // The limit is checked after the credential and before the query.
  const limited = await send(sent[1]!, headers);
  expectProblem(limited, { status: 429, code: 'rate-limited' });
  expectRateLimit(limited, { name: 'api', remaining: 0, resetSeconds: 300 });
  expectSeconds(limited.headers['retry-after'], 100);
  const anonymous = await send(sent[1]!, {});
  expectProblem(anonymous, { status: 403, code: 'not-authenticated' });
  expect(anonymous.headers.ratelimit).toBeUndefined();
});

test('without a limit, no response has a RateLimit header', async () => {
  const unlimited = await openTestApp();
  onTestFinished(() => unlimited.close());
  const response = await (await unlimited.signedIn('viewer')).get('/api/v1/widgets');
  expect(response.statusCode).toBe(200);
  expect(Object.keys(response.headers).filter((name) => name.startsWith('ratelimit'))).toEqual([]);
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
