import { createFirstAdmin } from '@widget-service/shared/usecases/access/manage-users.ts';
import { describe, expect, test } from 'vitest';
import { openSharedApp } from '../../drivers/app/open-shared.ts';

const email = 'admin@localhost';
const password = 'correct horse battery';
const service = await openSharedApp({ COOKIE_SECURE: true });

const createAdmin = () => createFirstAdmin(service.backend.users, email, password, new Date());

const signIn = (payload: object, headers: Record<string, string> = {}) =>
  service.post('/api/v1/session', payload, headers);

test('creates the first admin once', async () => {
  expect(await createAdmin()).toEqual({
    status: 'created',
    userId: expect.any(String),
    email,
    generatedPassword: null,
  });
  expect(await createAdmin()).toEqual({ status: 'not-needed' });
});

describe('POST /api/v1/session', () => {
  test('returns 200 with the session cookie, the user and the permissions', async () => {
    const response = await signIn({ email: 'Admin@LOCALHOST', password });
    expect(response.statusCode).toBe(200);
    expect([response.headers['set-cookie']].flat()[0]).toMatch(
      /^service_console=[\w-]{43}; Path=\/; HttpOnly; Secure; SameSite=Lax$/,
    );
    const body = response.json();
    expect(body).toMatchObject({ user: { email, role: 'admin', disabled: false }, csrfToken: expect.any(String) });
    expect(body.permissions).toContain('users:manage');
    expect(response.body).not.toContain('argon2');
    expect(Date.parse(body.expiresAt) - Date.now()).toBeGreaterThan(167 * 3_600_000);
  });
});
