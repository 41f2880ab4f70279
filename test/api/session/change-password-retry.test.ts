import { UnavailableError } from '@widget-service/shared/domain/errors.ts';
import { afterEach, describe, expect, test } from 'vitest';
import { expectProblem } from '../../drivers/expect-problem.ts';
import { overrideMethod } from '../../drivers/override-method.ts';
import { changePassword, createPasswordUser } from '../../drivers/password-user.ts';
import { openTestApp, type TestApp } from '../../drivers/test-app.ts';

const currentPassword = 'correct horse battery';
const newPassword = 'incorrect donkey charger';
const remoteAddress = '198.51.100.1';

let service: TestApp;
/** The method that fails as if its store were unavailable. */
let unavailableMethod: 'removeAllOf' | 'announce' | null = null;
afterEach(() => service.close());

async function open(signInFailuresPerMinute: number): Promise<void> {
  unavailableMethod = null;
  service = await openTestApp({
    limits: { signInFailuresPerMinute },
    replace: ({ sessions, control }) => ({
      sessions: overrideMethod(sessions, 'removeAllOf', async (...args) => {
        throwIfUnavailable('removeAllOf');
        await sessions.removeAllOf(...args);
      }),
      control: overrideMethod(control, 'announce', async (entry) => {
        throwIfUnavailable('announce');
        await control.announce(entry);
      }),
    }),
  });
}

function throwIfUnavailable(name: typeof unavailableMethod): void {
  if (name === unavailableMethod) throw new UnavailableError('unavailable in this test');
}

const createUser = () => createPasswordUser(service, currentPassword, { remoteAddress });
const change = (headers: Readonly<Record<string, string>>, payload: object) =>
  changePassword(service, headers, payload, { remoteAddress });

describe.each(['removeAllOf', 'announce'] as const)('PUT /api/v1/session/password while %s fails', (failing) => {
  test('returns 503, and completes the change when the request is repeated', async () => {
    await open(5);
    const user = await createUser();
    const [thisSession, otherSession] = [await user.startSession(), await user.startSession()];
    unavailableMethod = failing;
    const failed = await change(thisSession, { currentPassword, newPassword });
    expectProblem(failed, { status: 503, code: 'unavailable' });
    expectProblem(await change(thisSession, { currentPassword, newPassword }), { status: 503, code: 'unavailable' });
    unavailableMethod = null;
    expect((await change(thisSession, { currentPassword, newPassword })).statusCode).toBe(204);
    expect((await user.getSession(thisSession)).statusCode).toBe(200);
    expectProblem(await user.getSession(otherSession), { status: 403, code: 'not-authenticated' });
    expect((await user.signIn(newPassword)).statusCode).toBe(200);
  });
});

describe('PUT /api/v1/session/password used to guess the current password', () => {
  const guess = { currentPassword: 'wrong', newPassword: 'a guess at the password' };

  test('counts the new password as a second failed attempt', async () => {
    await open(4);
    const thisSession = await (await createUser()).startSession();
    const statuses: number[] = [];
    for (let attempt = 0; attempt < 3; attempt += 1) statuses.push((await change(thisSession, guess)).statusCode);
    expect(statuses).toEqual([403, 403, 429]);
  });

  test('does not check the new password without a second permit', async () => {
    await open(1);
    const user = await createUser();
    const [thisSession, otherSession] = [await user.startSession(), await user.startSession()];
    const response = await change(thisSession, { currentPassword: 'wrong', newPassword: currentPassword });
    expectProblem(response, { status: 403, code: 'invalid-credentials' });
    expect((await user.getSession(otherSession)).statusCode).toBe(200);
  });
});
