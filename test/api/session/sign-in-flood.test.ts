import { createPasswordHasher } from '@widget-service/shared/usecases/access/password-hasher.ts';
import { expect, test } from 'vitest';
import { aUser } from '../../drivers/builders.ts';
import { openTestApp } from '../../drivers/test-app.ts';

test('a flood of wrong sign-ins from one peer does not keep another peer from signing in', async () => {
  const service = await openTestApp({ limits: { signInFailuresPerMinute: 100_000 } });
  const password = 'correct horse battery';
  const user = aUser({ passwordHash: await createPasswordHasher().hash(password) });
  await service.backend.users.insert(user);
  const signIn = (remoteAddress: string, payload: object) =>
    service.app.inject({ method: 'POST', url: '/api/v1/session', remoteAddress, payload });
  let answered = 0;
  const flood = Array.from({ length: 260 }, async (_, index) => {
    await signIn('198.51.100.1', { email: `${index}@example.com`, password: 'wrong' });
    answered += 1;
  });
  const responses = [await signIn('198.51.100.2', { email: user.email, password })];
  responses.push(await signIn('198.51.100.2', { email: user.email, password }));
  // At most a few of the flood had their turn before: the others were refused at once, or still wait.
  expect(responses.map(({ statusCode }) => statusCode)).toEqual([200, 200]);
  expect(answered).toBeLessThan(260 - 80);
  await Promise.all(flood);
  await service.close();
});
