import { afterAll, expect, test } from 'vitest';
import { expectProblem } from '../../drivers/app/expect-problem.ts';
import { signInByOidc, startIdentityProvider } from '../../drivers/app/identity-provider.ts';
import { openSharedApp } from '../../drivers/app/open-shared.ts';
import { changePassword, createPasswordUser, toSessionHeaders } from '../../drivers/app/password-user.ts';

const provider = await startIdentityProvider('http://widgets.example.test');
afterAll(() => provider.close());
/** No permit returns while a test runs. */
const signIns = { ratePerSecond: 0.001, burst: 3 };
const service = await openSharedApp({ ...provider.settings, limits: { signIns } });
const password = 'correct horse battery';

test('a user who has started too many sessions gets 429: by password, by a new password, through the provider', async () => {
  const [{ user, signIn }, other] = await Promise.all([
    createPasswordUser(service, password),
    createPasswordUser(service, password),
  ]);
  let last = await signIn(password);
  for (let index = 1; index < signIns.burst; index += 1) last = await signIn(password);
  expect(last.statusCode).toBe(200);
  const refused = await signIn(password);
  expectProblem(refused, { status: 429, code: 'rate-limited' });
  expect(Number(refused.headers['retry-after'])).toBeGreaterThan(900);
  expect(refused.headers['ratelimit-policy']).toBe('"sign-in";q=3;w=3000');
  expect(refused.headers['set-cookie']).toBeUndefined();
  expect((await other.signIn(password)).statusCode).toBe(200);

  const payload = { currentPassword: password, newPassword: 'a staple in the battery' };
  const changed = await changePassword(service, toSessionHeaders(last), payload);
  expectProblem(changed, { status: 429, code: 'rate-limited' });
  expect((await service.backend.users.get(user.id))?.passwordHash).toBe(user.passwordHash);

  provider.setPerson('kim', { email: user.email, email_verified: true, roles: ['staff'] });
  expectProblem(await signInByOidc(service, 'kim'), { status: 429, code: 'rate-limited' });
});

test('wrong passwords do not use up the sign-ins of a user', async () => {
  const { signIn } = await createPasswordUser(service, password);
  for (let index = 0; index < 5; index += 1) expect((await signIn('wrong')).statusCode).toBe(403);
  expect((await signIn(password)).statusCode).toBe(200);
});
