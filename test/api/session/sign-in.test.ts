import { systemClock } from '@widget-service/shared/runtime/clock.ts';
import { createFirstAdmin } from '@widget-service/shared/usecases/access/manage-users.ts';
import { createPasswordHasher } from '@widget-service/shared/usecases/access/passwords.ts';
import { describe, expect, test } from 'vitest';
import { aUser } from '../../drivers/app/builders.ts';
import { expectProblem } from '../../drivers/app/expect-problem.ts';
import { openSharedApp } from '../../drivers/app/open-shared.ts';

const email = 'admin@localhost';
const password = 'correct horse battery';
const passwords = createPasswordHasher();
const service = await openSharedApp({ cookieSecure: true });

const createAdmin = () =>
  createFirstAdmin({ users: service.backend.users, passwords, clock: systemClock }, email, password);

const signIn = (payload: object, headers: Record<string, string> = {}) =>
  service.inject({ method: 'POST', url: '/api/v1/session', headers, payload });

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

  test('starts a new, working session for each sign-in', async () => {
    const [first, second] = [await signIn({ email, password }), await signIn({ email, password })];
    const cookies = [first, second].map((response) => String(response.headers['set-cookie']).split(';')[0] ?? '');
    expect(cookies[0]).not.toBe(cookies[1]);
    const shown = await service.inject({
      method: 'GET',
      url: '/api/v1/session',
      headers: { cookie: cookies[0] ?? '' },
    });
    expect(shown.json()).toMatchObject({ csrfToken: first.json().csrfToken, user: { email } });
  });

  test('ignores cookies in the request', async () => {
    const response = await signIn({ email, password }, { cookie: 'service_console=a; service_console=b' });
    expect(response.statusCode).toBe(200);
  });
});

describe('POST /api/v1/session: rejected', () => {
  test('returns equal problems for a wrong password, an unknown and a disabled account', async () => {
    const passwordHash = await passwords.hash(password);
    await service.backend.users.insert(aUser({ email: 'off@localhost', disabled: true, passwordHash }));
    const responses = await Promise.all([
      signIn({ email, password: 'wrong' }),
      signIn({ email: 'nobody@localhost', password }),
      signIn({ email: 'off@localhost', password }),
      signIn({ email: '', password: '' }),
    ]);
    for (const response of responses) {
      expectProblem(response, { status: 403, code: 'invalid-credentials' });
      expect(response.headers['set-cookie']).toBeUndefined();
    }
    expect(new Set(responses.map((response) => response.json().detail)).size).toBe(1);
  });
});

test('POST /api/v1/session: does not log the password', async () => {
  await signIn({ email, password });
  expect(service.logLines.join('')).not.toContain(password);
});
