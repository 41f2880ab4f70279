import type { Role } from '@widget-service/shared/domain/role.ts';
import { afterAll, describe, expect, test } from 'vitest';
import { expectProblem } from '../../drivers/app/expect-problem.ts';
import { issueProvisionToken } from '../../drivers/app/issue-grants.ts';
import { openTestApp, type TestResponse, type TestRoute } from '../../drivers/app/test-app.ts';

const service = await openTestApp();
const viewer = await service.signedIn('viewer');
const admin = await service.signedIn('admin');
afterAll(() => service.close());

/**
 * The tests iterate over the table of all routes, so they cover a new route without a change. The requests have no
 * body, because the service checks access before it reads a body.
 */

const readingMethods = ['GET', 'HEAD', 'OPTIONS'];
const isMutating = ({ method }: TestRoute) => !readingMethods.includes(method);
const getPermission = ({ policy }: TestRoute) => (typeof policy === 'object' ? policy.permission : null);

const listSessionRoutes = () =>
  service.routes.filter((route) => route.policy === 'signed-in' || getPermission(route) !== null);

const nameRoute = ({ method, url }: TestRoute) => `${method} ${url}`;

/** What a viewer may do, and everybody else with a session. */
const forEveryRole = [
  ...['/widgets', '/widgets/:id', '/widgets/:id/deliveries', '/session', '/sessions'].flatMap((path) => [
    `GET /api/v1${path}`,
    `HEAD /api/v1${path}`,
  ]),
  'DELETE /api/v1/session',
  'PUT /api/v1/session/password',
  'GET /api/v1/session/stream',
  'HEAD /api/v1/session/stream',
  'DELETE /api/v1/sessions',
  'DELETE /api/v1/sessions/:id',
];

function send(route: TestRoute, headers: Readonly<Record<string, string>>): Promise<TestResponse> {
  const url = route.url.replaceAll(/:\w+/g, '0197a0b0-0000-7000-8000-00000000abcd');
  return service.inject({ method: route.method as 'GET', url, headers });
}

/** Checks the code too, except for HEAD, whose response has no body. */
function expectForbidden(
  route: TestRoute,
  response: TestResponse,
  code: Parameters<typeof expectProblem>[1]['code'],
): void {
  const name = nameRoute(route);
  expect({ name, status: response.statusCode }).toEqual({ name, status: 403 });
  if (route.method !== 'HEAD') {
    expect({ name, code: response.json().code }).toEqual({ name, code });
    expectProblem(response, { status: 403, code });
  }
}

describe('the route table', () => {
  test('declares a policy for every route', () => {
    expect(listSessionRoutes().length).toBeGreaterThan(10);
    expect(service.routes.filter(({ policy }) => policy === undefined)).toEqual([]);
  });

  test('makes only reading routes public, and of the operations only those whose address is their secret', () => {
    const publicRoutes = service.routes.filter(({ policy }) => policy === 'public');
    expect(publicRoutes.filter(isMutating)).toEqual([]);
    const operations = publicRoutes.map(({ url }) => url).filter((url) => /^\/api\/v1\/(?!\w+\.json$)/.test(url));
    expect([...new Set(operations)].sort()).toEqual([
      '/api/v1/events/:token',
      '/api/v1/events/hooks/:token',
      '/api/v1/session/oidc',
      '/api/v1/session/oidc/callback',
    ]);
  });

  test('allows changes without a session only for sign-in and hooks', () => {
    const mutatingWithoutSession = service.routes.filter(
      (route) => isMutating(route) && !listSessionRoutes().includes(route),
    );
    expect(mutatingWithoutSession.map(({ method, url, policy }) => [method, url, policy])).toEqual(
      expect.arrayContaining([
        ['POST', '/api/v1/session', 'own-origin'],
        ['POST', '/api/v1/events/hooks/:token', 'hook-token'],
      ]),
    );
    expect(mutatingWithoutSession).toHaveLength(2);
  });

  test('fails the start when a route has no policy', async () => {
    const start = openTestApp({
      sharedBackend: service.backend,
      addRoutes: (scope) => void scope.get('/forgotten', async () => 'open to all'),
    });
    await expect(start).rejects.toThrow('declares no policy');
  });
});

describe('every route that needs a session', () => {
  test('returns 403 not-authenticated without a cookie, and for a malformed or unknown one', async () => {
    const cookies = ['service_console=', 'service_console=abc', `service_console=${'a'.repeat(43)}`, 'another=1'];
    for (const route of listSessionRoutes()) {
      expectForbidden(route, await send(route, { 'x-csrf-token': admin.csrfToken }), 'not-authenticated');
      for (const cookie of cookies) {
        expectForbidden(route, await send(route, { ...admin.headers, cookie }), 'not-authenticated');
      }
    }
  });

  test('returns 403 not-authenticated for two session cookies, equal or not', async () => {
    for (const route of listSessionRoutes()) {
      for (const second of [admin.cookie, viewer.cookie, 'service_console=']) {
        const headers = { ...admin.headers, cookie: `${admin.cookie}; ${second}` };
        expectForbidden(route, await send(route, headers), 'not-authenticated');
      }
    }
  });

  test.each<[Role, readonly string[]]>([
    ['viewer', forEveryRole],
    ['editor', [...forEveryRole, 'POST /api/v1/widgets']],
  ])('returns 403 permission-denied to a %s, unless it is one of a few', async (role, permitted) => {
    const routes = listSessionRoutes();
    expect(routes.map(nameRoute)).toEqual(expect.arrayContaining([...permitted]));
    for (const route of routes) {
      // Some of these requests end the session.
      const response = await send(route, (await service.signedIn(role)).headers);
      if (permitted.includes(nameRoute(route))) expect(response.statusCode, nameRoute(route)).not.toBe(403);
      else expectForbidden(route, response, 'permission-denied');
    }
  });

  test('returns 403 not-authenticated, without a challenge, for a provision token, unless it creates a widget', async () => {
    const { token } = await issueProvisionToken(service.backend);
    const bearer = { authorization: `Bearer ${token}` };
    for (const route of listSessionRoutes().filter((candidate) => nameRoute(candidate) !== 'POST /api/v1/widgets')) {
      const response = await send(route, bearer);
      expectForbidden(route, response, 'not-authenticated');
      expect(response.headers['www-authenticate'], nameRoute(route)).toBeUndefined();
    }
  });

  test('returns 403 csrf-token-invalid for a change without the CSRF token of the session', async () => {
    for (const route of listSessionRoutes().filter(isMutating)) {
      const { cookie } = admin;
      expectForbidden(route, await send(route, { cookie }), 'csrf-token-invalid');
      for (const token of ['', 'wrong', viewer.csrfToken, admin.sessionId, `${admin.csrfToken}, ${admin.csrfToken}`]) {
        expectForbidden(route, await send(route, { cookie, 'x-csrf-token': token }), 'csrf-token-invalid');
      }
    }
  });

  test('returns 403 csrf-token-invalid for a change or a sign-in from another origin', async () => {
    const foreignHeaders = [
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
      { 'sec-fetch-site': 'cross-site', origin: 'http://localhost' },
      { origin: 'https://elsewhere.example' },
      { origin: 'null' },
    ] as readonly Readonly<Record<string, string>>[];
    const routes = service.routes.filter((route) => isMutating(route) && route.policy !== 'hook-token');
    for (const route of routes) {
      for (const headers of foreignHeaders) {
        expectForbidden(
          route,
          await send(route, { host: 'localhost', ...admin.headers, ...headers }),
          'csrf-token-invalid',
        );
      }
    }
  });

  test('keeps the session valid after all these requests', async () => {
    const response = await admin.get('/api/v1/session');
    expect(response.statusCode).toBe(200);
  });
});

test('a change may come from the origin of PUBLIC_BASE_URL and from that of the Host, and from nowhere else', async () => {
  const named = await openTestApp({ PUBLIC_BASE_URL: 'https://widgets.example' });
  const { headers } = await named.signedIn('editor');
  const create = async (origin: Record<string, string>) => {
    const sent = { ...headers, host: 'api.internal', ...origin };
    return (await named.post('/api/v1/widgets', { name: 'x' }, sent)).statusCode;
  };
  const own: Record<string, string>[] = [
    { 'sec-fetch-site': 'same-origin' },
    { 'sec-fetch-site': 'none', origin: 'https://evil.example' },
    { origin: 'https://widgets.example' },
    { origin: 'http://api.internal' },
  ];
  for (const origin of own) expect(await create(origin), JSON.stringify(origin)).toBe(201);
  expect(await create({ origin: 'https://evil.example' })).toBe(403);
  expect(await create({ 'sec-fetch-site': 'cross-site', origin: 'https://widgets.example' })).toBe(403);
  await named.close();
});

const listChangingRoutes = () => service.routes.filter(({ method }) => !['GET', 'HEAD', 'OPTIONS'].includes(method));

describe('the audit action of a route', () => {
  test('declares an audit action, or a reason for none, for every route that changes something', () => {
    expect(listChangingRoutes().length).toBeGreaterThan(15);
    expect(listChangingRoutes().filter(({ audit }) => audit === undefined)).toEqual([]);
  });

  test('has a reason for none only for hooks and previews', () => {
    const without = listChangingRoutes().filter(({ audit }) => audit !== undefined && 'none' in audit);
    expect(without.map(({ method, url }) => `${method} ${url}`)).toEqual([
      'POST /api/v1/events/hooks/:token',
      'POST /api/v1/integrations/preview',
      'POST /api/v1/integrations/:id/preview',
    ]);
  });

  test('takes the target from a parameter that the path has', () => {
    for (const { url, audit } of listChangingRoutes()) {
      if (audit === undefined || 'none' in audit || !audit.target.id.startsWith(':')) continue;
      expect(url.split('/')).toContain(audit.target.id);
    }
  });

  test.each(['POST', 'PUT', 'PATCH', 'DELETE'])('fails the start when a %s route declares none', async (method) => {
    const start = openTestApp({
      sharedBackend: service.backend,
      addRoutes: (scope) => {
        scope.route({ method, url: '/forgotten', config: { policy: 'signed-in' }, handler: async () => 'changed' });
      },
    });
    await expect(start).rejects.toThrow('declares no audit action');
  });
});

/** Returns the log line of a request that was refused. */
function findLine(response: TestResponse): Record<string, unknown> {
  const { requestId } = response.json();
  const lines = service.logLines.map((line) => JSON.parse(line) as Record<string, unknown>);
  return lines.find((line) => line.msg === 'request' && line.requestId === requestId) ?? {};
}

describe('the log line of a refused request', () => {
  test('names the user who lacks the permission', async () => {
    const viewer = await service.signedIn('viewer');
    const response = await viewer.get('/api/v1/users');
    expectProblem(response, { status: 403, code: 'permission-denied' });
    expect(findLine(response)).toMatchObject({ code: 'permission-denied', userId: viewer.userId });
  });

  test('names the user whose request has no CSRF token', async () => {
    const { cookie, userId } = await service.signedIn('admin');
    const response = await service.delete('/api/v1/session', { cookie });
    expectProblem(response, { status: 403, code: 'csrf-token-invalid' });
    expect(findLine(response)).toMatchObject({ code: 'csrf-token-invalid', userId });
  });

  test('names the provision token that lacks the permission', async () => {
    const { grant, token } = await issueProvisionToken(service.backend, { permissions: [] });
    const response = await service.post('/api/v1/widgets', { name: 'lamp' }, { authorization: `Bearer ${token}` });
    expectProblem(response, { status: 403, code: 'permission-denied' });
    expect(response.headers['www-authenticate']).toBeUndefined();
    expect(findLine(response)).toMatchObject({ code: 'permission-denied', provisionTokenId: grant.id });
  });

  test('names nobody without a valid session', async () => {
    const response = await service.get('/api/v1/users');
    expectProblem(response, { status: 403, code: 'not-authenticated' });
    expect(findLine(response)).not.toHaveProperty('userId');
  });
});
