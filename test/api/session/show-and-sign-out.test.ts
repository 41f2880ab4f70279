import { afterAll, beforeAll, expect, test } from 'vitest';
import { expectProblem } from '../../drivers/expect-problem.ts';
import { openTestApp, type TestApp } from '../../drivers/test-app.ts';

let service: TestApp;
beforeAll(async () => {
  service = await openTestApp();
});
afterAll(() => service.close());

const url = '/api/v1/session';

test('200: shows who is signed in', async () => {
  const viewer = await service.signedIn('viewer');
  const response = await service.inject({ method: 'GET', url, headers: { cookie: viewer.cookie } });
  expect(response.statusCode).toBe(200);
  expect(response.json()).toMatchObject({
    user: { id: viewer.userId, role: 'viewer', lastSignInAt: null },
    permissions: ['widgets:read'],
    csrfToken: viewer.csrfToken,
  });
});

test('403: nobody is signed in', async () => {
  expectProblem(await service.inject({ method: 'GET', url }), { status: 403, code: 'not-authenticated' });
});

test('204: signs out, and clears the cookie', async () => {
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

test('403: signing out needs the CSRF token', async () => {
  const viewer = await service.signedIn('viewer');
  const response = await service.inject({ method: 'DELETE', url, headers: { cookie: viewer.cookie } });
  expectProblem(response, { status: 403, code: 'csrf-token-invalid' });
});
