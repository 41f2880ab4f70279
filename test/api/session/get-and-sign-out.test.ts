import { describe, expect, test } from 'vitest';
import { expectProblem } from '../../drivers/app/expect-problem.ts';
import { openSharedApp } from '../../drivers/app/open-shared.ts';

const service = await openSharedApp();

const url = '/api/v1/session';

describe('/api/v1/session', () => {
  test('GET returns 200 with the user, the permissions and the CSRF token', async () => {
    const viewer = await service.signedIn('viewer');
    const response = await service.inject({ method: 'GET', url, headers: { cookie: viewer.cookie } });
    expect(response.statusCode).toBe(200);
    expect(response.json()).toMatchObject({
      user: { id: viewer.userId, role: 'viewer', lastSignInAt: null },
      permissions: ['widgets:read'],
      csrfToken: viewer.csrfToken,
    });
  });

  test('DELETE returns 204, ends the session and clears the cookie', async () => {
    const viewer = await service.signedIn('viewer');
    const headers = { ...viewer.headers, 'content-type': 'application/json' };
    const response = await service.inject({ method: 'DELETE', url, headers });
    expect(response.statusCode).toBe(204);
    expect(response.body).toBe('');
    expect(String(response.headers['set-cookie'])).toMatch(
      /^service_console=; Max-Age=0; Path=\/; HttpOnly; SameSite=Lax$/,
    );
    const after = await service.inject({ method: 'GET', url, headers: { cookie: viewer.cookie } });
    expectProblem(after, { status: 403, code: 'not-authenticated' });
  });
});
