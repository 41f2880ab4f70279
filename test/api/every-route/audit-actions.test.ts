import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startAppWithRoutes } from '../../drivers/app/start-app-with-routes.ts';
import { openTestApp, type TestApp } from '../../drivers/app/test-app.ts';

let service: TestApp;
beforeAll(async () => {
  service = await openTestApp();
});
afterAll(() => service.close());

const listChangingRoutes = () => service.routes.filter(({ method }) => !['GET', 'HEAD', 'OPTIONS'].includes(method));

describe('the route table', () => {
  test('declares an audit action, or a reason for none, for every route that changes something', () => {
    expect(listChangingRoutes().length).toBeGreaterThan(15);
    expect(listChangingRoutes().filter(({ audit }) => audit === undefined)).toEqual([]);
  });

  test('has a reason for none only for hooks', () => {
    const without = listChangingRoutes().filter(({ audit }) => audit !== undefined && 'none' in audit);
    expect(without.map(({ method, url }) => `${method} ${url}`)).toEqual(['POST /api/v1/events/hooks/:token']);
  });

  test('takes the target from a parameter that the path has', () => {
    for (const { url, audit } of listChangingRoutes()) {
      if (audit === undefined || 'none' in audit || !audit.target.id.startsWith(':')) continue;
      expect(url.split('/')).toContain(audit.target.id);
    }
  });

  test.each(['POST', 'PUT', 'PATCH', 'DELETE'])('fails the start when a %s route declares none', async (method) => {
    const start = startAppWithRoutes(service, (scope) => {
      scope.route({ method, url: '/forgotten', config: { policy: 'signed-in' }, handler: async () => 'changed' });
    });
    await expect(start).rejects.toThrow('declares no audit action');
  });
});
