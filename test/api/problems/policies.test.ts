import { permissionsForRole } from '@widget-service/shared/domain/role.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { expectProblem } from '../../drivers/expect-problem.ts';
import {
  openTestApp,
  type TestApp,
  type TestCaller,
  type TestResponse,
  type TestRoute,
} from '../../drivers/test-app.ts';

/**
 * Walks the table of all routes there are, so that a new one is covered by itself. Requests carry no body: who may
 * call a route is decided before one is read.
 */
let service: TestApp;
let viewer: TestCaller;
let admin: TestCaller;
beforeAll(async () => {
  service = await openTestApp();
  viewer = await service.signedIn('viewer');
  admin = await service.signedIn('admin');
});
afterAll(() => service.close());

const readingMethods = ['GET', 'HEAD', 'OPTIONS'];
const isChanging = ({ method }: TestRoute) => !readingMethods.includes(method);
const permissionOf = ({ policy }: TestRoute) => (typeof policy === 'object' ? policy.permission : null);

const withSession = () =>
  service.routes.filter((route) => route.policy === 'signed-in' || permissionOf(route) !== null);

function send(route: TestRoute, headers: Readonly<Record<string, string>>): Promise<TestResponse> {
  const url = route.url.replaceAll(/:\w+/g, '0197a0b0-0000-7000-8000-00000000abcd');
  return service.inject({ method: route.method as 'GET', url, headers });
}

/** The answer to HEAD has no body to tell the code by. */
function expectRefusal(
  route: TestRoute,
  response: TestResponse,
  code: Parameters<typeof expectProblem>[1]['code'],
): void {
  const name = `${route.method} ${route.url}`;
  expect({ name, status: response.statusCode }).toEqual({ name, status: 403 });
  if (route.method !== 'HEAD') {
    expect({ name, code: response.json().code }).toEqual({ name, code });
    expectProblem(response, { status: 403, code });
  }
}

describe('the route table', () => {
  test('has routes, and every one a policy', () => {
    expect(withSession().length).toBeGreaterThan(10);
    for (const { method, url, policy } of service.routes) expect({ method, url, policy }).toHaveProperty('policy');
    expect(service.routes.filter(({ policy }) => policy === undefined)).toEqual([]);
  });

  test('leaves open to all only what reads', () => {
    expect(service.routes.filter((route) => route.policy === 'public' && isChanging(route))).toEqual([]);
  });

  test('takes something that changes without a session only at sign-in and from senders of hooks', () => {
    const open = service.routes.filter((route) => isChanging(route) && !withSession().includes(route));
    expect(open.map(({ method, url, policy }) => [method, url, policy])).toEqual(
      expect.arrayContaining([
        ['POST', '/api/v1/session', 'own-origin'],
        ['POST', '/api/v1/events/hooks/:token', 'hook-token'],
      ]),
    );
    expect(open).toHaveLength(2);
  });
});

describe('403', () => {
  test('without a cookie, with a malformed one and with an unknown one', async () => {
    const cookies = ['service_console=', 'service_console=abc', `service_console=${'a'.repeat(43)}`, 'another=1'];
    for (const route of withSession()) {
      expectRefusal(route, await send(route, { 'x-csrf-token': admin.csrfToken }), 'not-authenticated');
      for (const cookie of cookies) {
        expectRefusal(route, await send(route, { ...admin.headers, cookie }), 'not-authenticated');
      }
    }
  });

  test('with two cookies, whether equal or not', async () => {
    for (const route of withSession()) {
      for (const second of [admin.cookie, viewer.cookie, 'service_console=']) {
        const headers = { ...admin.headers, cookie: `${admin.cookie}; ${second}` };
        expectRefusal(route, await send(route, headers), 'not-authenticated');
      }
    }
  });

  test('for whoever lacks the permission', async () => {
    const beyond = withSession().filter((route) => {
      const permission = permissionOf(route);
      return permission !== null && !permissionsForRole('viewer').includes(permission);
    });
    expect(beyond.length).toBeGreaterThan(5);
    for (const route of beyond) expectRefusal(route, await send(route, viewer.headers), 'permission-denied');
  });

  test('without the CSRF token of the very session, wherever something changes', async () => {
    for (const route of withSession().filter(isChanging)) {
      const { cookie } = admin;
      expectRefusal(route, await send(route, { cookie }), 'csrf-token-invalid');
      for (const token of ['', 'wrong', viewer.csrfToken, admin.sessionId, `${admin.csrfToken}, ${admin.csrfToken}`]) {
        expectRefusal(route, await send(route, { cookie, 'x-csrf-token': token }), 'csrf-token-invalid');
      }
    }
  });

  test('from a page of another origin, wherever something changes, and at sign-in', async () => {
    const foreign = [
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
      { 'sec-fetch-site': 'cross-site', origin: 'http://localhost' },
      { origin: 'https://elsewhere.example' },
      { origin: 'null' },
    ] as readonly Readonly<Record<string, string>>[];
    const routes = service.routes.filter((route) => isChanging(route) && route.policy !== 'hook-token');
    for (const route of routes) {
      for (const headers of foreign) {
        expectRefusal(
          route,
          await send(route, { host: 'localhost', ...admin.headers, ...headers }),
          'csrf-token-invalid',
        );
      }
    }
  });
});

test('the session is still good after all that', async () => {
  const response = await service.inject({ method: 'GET', url: '/api/v1/session', headers: admin.headers });
  expect(response.statusCode).toBe(200);
});
