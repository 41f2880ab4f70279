import { beforeEach, describe, expect, test } from 'vitest';
import { expectProblem } from '../../drivers/app/expect-problem.ts';
import { openSharedApp } from '../../drivers/app/open-shared.ts';
import { overrideMethod } from '../../drivers/app/override-method.ts';
import { changePassword, createPasswordUser, toSessionHeaders } from '../../drivers/app/password-user.ts';

const currentPassword = 'correct horse battery';
const newPassword = 'incorrect donkey charger';
/** Runs after the current password was verified and before the new one is stored. */
let beforeReplace: () => Promise<unknown> = async () => undefined;
const service = await openSharedApp({
  replace: ({ users }) => ({
    users: overrideMethod(users, 'change', async (...args) => {
      const before = beforeReplace;
      beforeReplace = async () => undefined;
      await before();
      return users.change(...args);
    }),
  }),
});
beforeEach(() => {
  beforeReplace = async () => undefined;
});

const change = (headers: Readonly<Record<string, string>>, payload: object) =>
  changePassword(service, headers, payload);

describe('PUT /api/v1/session/password', () => {
  test('replaces the password, and all sessions of the user by a new one', async () => {
    const user = await createPasswordUser(service, currentPassword);
    const [thisSession, otherSession] = [await user.startSession(), await user.startSession()];
    const response = await change(thisSession, { currentPassword, newPassword });
    expect(response.statusCode).toBe(200);
    const newSession = toSessionHeaders(response);
    expect(newSession.cookie).toMatch(/^service_console=[\w-]{43}$/);
    expect((await user.getSession(newSession)).json()).toEqual(response.json());
    for (const ended of [thisSession, otherSession]) {
      expectProblem(await user.getSession(ended), { status: 403, code: 'not-authenticated' });
    }
    expect((await service.delete('/api/v1/sessions', newSession)).statusCode).toBe(204);
    expectProblem(await user.signIn(currentPassword), { status: 403, code: 'invalid-credentials' });
    expect((await user.signIn(newPassword)).statusCode).toBe(200);
    expect(service.logLines.join('')).not.toMatch(/horse|donkey/);
  });

  test('returns 403 invalid-credentials for a wrong current password, and changes nothing', async () => {
    const user = await createPasswordUser(service, currentPassword);
    const [thisSession, otherSession] = [await user.startSession(), await user.startSession()];
    for (const wrongPassword of ['', newPassword, `${currentPassword} `]) {
      const response = await change(thisSession, { currentPassword: wrongPassword, newPassword });
      expectProblem(response, { status: 403, code: 'invalid-credentials' });
    }
    expect((await user.getSession(otherSession)).statusCode).toBe(200);
    expect((await user.signIn(currentPassword)).statusCode).toBe(200);
  });

  test('returns 403 when an admin sets the password while the user changes it; the password of the admin stays', async () => {
    const resetPassword = 'set by the admin';
    const { user, signIn, startSession } = await createPasswordUser(service, currentPassword);
    const headers = await startSession();
    const admin = await service.signedIn('admin');
    beforeReplace = async () => {
      const payload = { password: resetPassword };
      const url = `/api/v1/users/${user.id}`;
      const reset = await admin.patch(url, payload);
      expect(reset.statusCode).toBe(200);
    };
    const response = await change(headers, { currentPassword, newPassword });
    expectProblem(response, { status: 403, code: 'invalid-credentials' });
    expectProblem(await signIn(newPassword), { status: 403, code: 'invalid-credentials' });
    expect((await signIn(resetPassword)).statusCode).toBe(200);
  });

  test('gives no session to a user who is disabled at that moment', async () => {
    const { user, startSession, getSession } = await createPasswordUser(service, currentPassword);
    const headers = await startSession();
    const admin = await service.signedIn('admin');
    beforeReplace = async () => {
      expect((await admin.patch(`/api/v1/users/${user.id}`, { disabled: true })).statusCode).toBe(200);
    };
    const response = await change(headers, { currentPassword, newPassword });
    expectProblem(response, { status: 403, code: 'invalid-credentials' });
    expect(response.headers['set-cookie']).toBeUndefined();
    expectProblem(await getSession(headers), { status: 403, code: 'not-authenticated' });
  });
});
