import { UnavailableError } from '@widget-service/shared/domain/errors.ts';
import { afterEach, describe, expect, test } from 'vitest';
import { expectProblem } from '../../drivers/app/expect-problem.ts';
import { changePassword, createPasswordUser, toSessionHeaders } from '../../drivers/app/password-user.ts';
import { openTestApp, type TestApp } from '../../drivers/app/test-app.ts';

const currentPassword = 'correct horse battery';
const newPassword = 'incorrect donkey charger';
const remoteAddress = '198.51.100.1';

let service: TestApp;
/** The method that fails as if its store were unavailable. */
let unavailableMethod: 'removeAll' | 'announce' | 'insert' | 'change' | 'remove' | null = null;
afterEach(() => service.close());

async function open(signInFailuresPerMinute: number): Promise<void> {
  unavailableMethod = null;
  service = await openTestApp({
    limits: { signInFailuresPerMinute },
    replace: ({ sessions, control, users }) => ({
      sessions: makeUnavailable(sessions),
      control: makeUnavailable(control),
      users: makeUnavailable(users),
    }),
  });
}

/** Returns the port, with the `unavailableMethod` failing. */
function makeUnavailable<Port extends object>(port: Port): Port {
  const fail = () => Promise.reject(new UnavailableError('unavailable in this test'));
  return new Proxy(port, {
    get: (target, name) => {
      if (name === unavailableMethod) return fail;
      const own = Reflect.get(target, name, target) as unknown;
      return typeof own === 'function' ? own.bind(target) : own;
    },
  });
}

const listSessions = async (headers: Readonly<Record<string, string>>) =>
  (await service.get('/api/v1/sessions', headers)).json();
const createUser = () => createPasswordUser(service, currentPassword, { remoteAddress });
const change = (headers: Readonly<Record<string, string>>, payload: object) =>
  changePassword(service, headers, payload, { remoteAddress });

describe.each(['removeAll', 'announce', 'insert', 'change', 'remove'] as const)(
  'PUT /api/v1/session/password while %s fails',
  (failing) => {
    test('returns 503, and completes the change when the request is repeated', async () => {
      await open(5);
      const user = await createUser();
      const [thisSession, otherSession] = [await user.startSession(), await user.startSession()];
      unavailableMethod = failing;
      const failed = await change(thisSession, { currentPassword, newPassword });
      expectProblem(failed, { status: 503, code: 'unavailable' });
      expectProblem(await change(thisSession, { currentPassword, newPassword }), { status: 503, code: 'unavailable' });
      unavailableMethod = null;
      const changed = await change(thisSession, { currentPassword, newPassword });
      expect(changed.statusCode).toBe(200);
      expect((await user.getSession(toSessionHeaders(changed))).statusCode).toBe(200);
      for (const ended of [thisSession, otherSession]) {
        expectProblem(await user.getSession(ended), { status: 403, code: 'not-authenticated' });
      }
      const { items } = await listSessions(toSessionHeaders(changed));
      expect(items).toMatchObject([{ current: true }]);
      expect((await user.signIn(newPassword)).statusCode).toBe(200);
    });
  },
);

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
