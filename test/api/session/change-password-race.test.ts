import { afterAll, beforeAll, expect, test } from 'vitest';
import { aPerson, changePassword } from '../../drivers/a-person.ts';
import { expectProblem } from '../../drivers/expect-problem.ts';
import { instead } from '../../drivers/override-method.ts';
import { openTestApp, type TestApp, type TestCaller } from '../../drivers/test-app.ts';

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
      users: instead(users, 'replacePasswordHash', async (...given) => {
        await meanwhile();
        return users.replacePasswordHash(...given);
      }),
    }),
  });
  admin = await service.signedIn('admin');
});
afterAll(() => service.close());

test('a password that an admin sets while the person changes theirs stays', async () => {
  const { user, signIn, session } = await aPerson(service, currentPassword);
  const headers = await session();
  meanwhile = async () => {
    const payload = { password: resetPassword };
    const url = `/api/v1/users/${user.id}`;
    const reset = await service.inject({ method: 'PATCH', url, headers: admin.headers, payload });
    expect(reset.statusCode).toBe(200);
  };
  const response = await changePassword(service, headers, { currentPassword, newPassword });
  expectProblem(response, { status: 403, code: 'invalid-credentials' });
  expectProblem(await signIn(newPassword), { status: 403, code: 'invalid-credentials' });
  expect((await signIn(resetPassword)).statusCode).toBe(200);
});
