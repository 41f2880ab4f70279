import { randomUUID } from 'node:crypto';
import { describe, expect, onTestFinished, test } from 'vitest';
import { expectProblem } from '../../drivers/app/expect-problem.ts';
import { openSharedApp } from '../../drivers/app/open-shared.ts';
import { changePassword, createPasswordUser } from '../../drivers/app/password-user.ts';
import { openTestApp } from '../../drivers/app/test-app.ts';

const currentPassword = 'correct horse battery';
const service = await openSharedApp();
const admin = await service.signedIn('admin');

const create = (email: string, password: string) => admin.post('/api/v1/users', { email, password });

const weakPasswords = [
  ['a common password', 'password1234'],
  ['a common password with the usual substitutes', 'P@ssw0rd1234'],
  ['a row of keys', 'qwertyuiop12'],
  ['digits in order', '123456789012'],
  ['one letter', 'aaaaaaaaaaaa'],
  ['one letter, as often as allowed', 'a'.repeat(128)],
  ['a repeated word', 'letmeinletmein'],
  ['the name of the service', 'WidgetService2026'],
  ['the name of the service between other words', 'my widget-service is the best'],
] as const;

describe('a new password', () => {
  test.each(weakPasswords)('is refused when it is %s', async (_, password) => {
    const response = await create(`${randomUUID()}@example.com`, password);
    expectProblem(response, { status: 400, code: 'weak-password' });
    expect(response.body).not.toContain(password);
  });

  test('is refused when it contains the e-mail of the account, in any case', async () => {
    const email = `kim.${randomUUID()}@example.com`;
    for (const password of [`my ${email.toUpperCase()} 4711`, email]) {
      expectProblem(await create(email, password), { status: 400, code: 'weak-password' });
    }
    expect((await create(email, 'four random words here')).statusCode).toBe(201);
  });

  test('is refused when it consists of the names in the e-mail of the account', async () => {
    const response = await create('zqorvath.quimblex@example.com', 'zqorvathquimblex');
    expectProblem(response, { status: 400, code: 'weak-password' });
  });

  test('is no failed sign-in when it is weak', async () => {
    const pod = await openTestApp({ sharedBackend: service.backend, limits: { signInFailuresPerMinute: 1 } });
    onTestFinished(() => pod.close());
    const session = await (await createPasswordUser(pod, currentPassword)).startSession();
    for (let count = 0; count < 3; count += 1) {
      const response = await changePassword(pod, session, { currentPassword, newPassword: 'password1234' });
      expectProblem(response, { status: 400, code: 'weak-password' });
    }
  });

  test('is accepted when a generator made it, or when it is a few words', async () => {
    for (const password of ['vN3kQ0xZp8Lw', 'kayak ladder mosaic', 'пять слов на русском языке']) {
      expect((await create(`${randomUUID()}@example.com`, password)).statusCode).toBe(201);
    }
  });

  test('must be strong, too, when an admin sets it or users set their own; nothing changes otherwise', async () => {
    const user = await createPasswordUser(service, currentPassword);
    const session = await user.startSession();
    const own = await changePassword(service, session, { currentPassword, newPassword: 'password1234' });
    expectProblem(own, { status: 400, code: 'weak-password' });
    const set = await admin.patch(`/api/v1/users/${user.user.id}`, { password: 'password1234', role: 'admin' });
    expectProblem(set, { status: 400, code: 'weak-password' });
    expect((await service.backend.users.get(user.user.id))?.role).toBe(user.user.role);
    expect((await user.signIn(currentPassword)).statusCode).toBe(200);
    expect(service.logLines.join('')).not.toContain('password1234');
  });

  test('is estimated only for a caller who knows the current one', async () => {
    const user = await createPasswordUser(service, currentPassword);
    const change = { currentPassword: 'wrong', newPassword: 'password1234' };
    const response = await changePassword(service, await user.startSession(), change);
    expectProblem(response, { status: 403, code: 'invalid-credentials' });
  });
});
