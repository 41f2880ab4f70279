import type { UserChanges } from '@widget-service/shared/usecases/access/manage-users.ts';
import { PasswordHasher } from '@widget-service/shared/usecases/access/passwords.ts';
import { describe, expect, test } from 'vitest';
import { aUser } from '../../drivers/app/builders.ts';
import { expectProblem } from '../../drivers/app/expect-problem.ts';
import { openSharedApp } from '../../drivers/app/open-shared.ts';
import { overrideMethod } from '../../drivers/app/override-method.ts';

const password = 'correct horse battery';
/** Runs after a sign-in has verified the password and before it stores the session. */
let beforeInsert: () => Promise<unknown>;
const service = await openSharedApp({
  replace: ({ sessions }) => ({
    sessions: overrideMethod(sessions, 'insert', async (session) => {
      await beforeInsert();
      return sessions.insert(session);
    }),
  }),
});
const admin = await service.signedIn('admin');

describe('POST /api/v1/session', () => {
  test.each<[string, UserChanges & { password?: string }]>([
    ['the password is changed', { password: 'incorrect donkey charger' }],
    ['the user is disabled', { disabled: true }],
  ])('returns 403 and starts no session when %s during the sign-in', async (_, payload) => {
    const user = aUser({ passwordHash: await new PasswordHasher().hash(password) });
    await service.backend.users.insert(user);
    const credentials = { email: user.email, password };
    beforeInsert = async () => admin.patch(`/api/v1/users/${user.id}`, payload);
    const response = await service.post('/api/v1/session', credentials);
    expectProblem(response, { status: 403, code: 'invalid-credentials' });
    expect(response.headers['set-cookie']).toBeUndefined();
    expect((await service.backend.users.get(user.id))?.lastSignInAt).toBeNull();
  });
});
