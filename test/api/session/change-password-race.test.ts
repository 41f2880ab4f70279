import { createPasswordHasher } from '@widget-service/shared/usecases/access/hash-password.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { aUser } from '../../support/builders.ts';
import { expectProblem } from '../../support/expect-problem.ts';
import { openTestApp, type TestApp, type TestCaller } from '../../support/test-app.ts';

const currentPassword = 'correct horse battery';
const newPassword = 'incorrect donkey charger';
const resetPassword = 'whatever the admin says';
let service: TestApp;
let admin: TestCaller;
/** What happens after the current password was verified, and before the new one is stored. */
let meanwhile: () => Promise<unknown> = async () => undefined;
beforeAll(async () => {
  service = await openTestApp({
    replace: ({ users }) => ({
      users: new Proxy(users, {
        get: (target, name) => {
          const member = Reflect.get(target, name, target);
          if (typeof member !== 'function') return member;
          if (name !== 'replacePasswordHash') return member.bind(target);
          return async (...given: unknown[]) => {
            await meanwhile();
            return member.apply(target, given);
          };
        },
      }),
    }),
  });
  admin = await service.signedIn('admin');
});
afterAll(() => service.close());

test('a password that an admin sets while the person changes theirs stays', async () => {
  const user = aUser({ passwordHash: await createPasswordHasher().hash(currentPassword) });
  await service.backend.users.insert(user);
  const signIn = (password: string) =>
    service.inject({ method: 'POST', url: '/api/v1/session', payload: { email: user.email, password } });
  const signedIn = await signIn(currentPassword);
  const headers = {
    cookie: String(signedIn.headers['set-cookie']).split(';')[0] ?? '',
    'x-csrf-token': String(signedIn.json().csrfToken),
  };
  meanwhile = async () => {
    const payload = { password: resetPassword };
    const url = `/api/v1/users/${user.id}`;
    const reset = await service.inject({ method: 'PATCH', url, headers: admin.headers, payload });
    expect(reset.statusCode).toBe(200);
  };
  const url = '/api/v1/session/password';
  const response = await service.inject({ method: 'PUT', url, headers, payload: { currentPassword, newPassword } });
  expectProblem(response, { status: 403, code: 'invalid-credentials' });
  expectProblem(await signIn(newPassword), { status: 403, code: 'invalid-credentials' });
  expect((await signIn(resetPassword)).statusCode).toBe(200);
});
