import { createFirstAdmin } from '@widget-service/shared/usecases/access/manage-users.ts';
import { describe, expect, test } from 'vitest';
import { expectProblem } from '../../drivers/app/expect-problem.ts';
import { openSharedApp } from '../../drivers/app/open-shared.ts';
import { changePassword, toSessionHeaders } from '../../drivers/app/password-user.ts';
import { createManualClock } from '../../drivers/tools/manual-clock.ts';

const clock = createManualClock();
const service = await openSharedApp({ clock });
const dayMs = 86_400_000;
const adminPassword = 'the password of ADMIN_PASSWORD';
const givenPassword = 'a password of the admin';
const ownPassword = 'another one of their own';

const { users } = service.backend;
await createFirstAdmin(users, 'first@example.com', adminPassword, clock.now());

const trySignIn = (email: string, password: string) => service.post('/api/v1/session', { email, password });

async function signIn(email: string, password: string) {
  const response = await trySignIn(email, password);
  expect(response.statusCode).toBe(200);
  return toSessionHeaders(response);
}

/** The sessions of the first admin end while the clock advances; its password does not. */
async function sendAsAdmin(method: 'GET' | 'POST' | 'PATCH', url: string, payload?: object) {
  const headers = await signIn('first@example.com', adminPassword);
  const response = await service.inject({ method, url, headers, ...(payload === undefined ? {} : { payload }) });
  expect(response.statusCode).toBeLessThan(300);
  return response.json() as { id: string; email: string; mustChangePassword: boolean; passwordExpiresAt?: string };
}
const create = (email: string) => sendAsAdmin('POST', '/api/v1/users', { email, password: givenPassword });
const read = ({ id }: { readonly id: string }) => sendAsAdmin('GET', `/api/v1/users/${id}`);
const inDays = (days: number) => new Date(clock.now().getTime() + days * dayMs).toISOString();

describe('a password that an admin has set', () => {
  test('is refused as a wrong one is after 7 days, and an admin sees when it ended', async () => {
    const late = await create('late@example.com');
    const endsAt = inDays(7);
    expect(late).toMatchObject({ mustChangePassword: true, passwordExpiresAt: endsAt });
    clock.advance(7 * dayMs - 1);
    await signIn(late.email, givenPassword);
    clock.advance(1);
    const refused = await trySignIn(late.email, givenPassword);
    expectProblem(refused, { status: 403, code: 'invalid-credentials' });
    const [known, wrong] = [refused, await trySignIn(late.email, 'another password')].map((response) => {
      const { instance: _, requestId: __, ...problem } = response.json() as Record<string, unknown>;
      return problem;
    });
    expect(known).toEqual(wrong);
    expect(await read(late)).toMatchObject({ mustChangePassword: true, passwordExpiresAt: endsAt });
  });

  test('has another 7 days once an admin has set another one', async () => {
    const user = await create('again@example.com');
    clock.advance(8 * dayMs);
    const another = 'a second one of the admin';
    const changed = await sendAsAdmin('PATCH', `/api/v1/users/${user.id}`, { password: another });
    expect(changed.passwordExpiresAt).toBe(inDays(7));
    clock.advance(6 * dayMs);
    await signIn(user.email, another);
  });

  test('ends for nobody who signed in with it in time: the password that they choose has no end', async () => {
    const user = await create('in-time@example.com');
    clock.advance(7 * dayMs - 1);
    const headers = await signIn(user.email, givenPassword);
    clock.advance(1);
    const passwords = { currentPassword: givenPassword, newPassword: ownPassword };
    expect((await changePassword(service, headers, passwords)).statusCode).toBe(200);
    expect(await read(user)).not.toHaveProperty('passwordExpiresAt');
    clock.advance(30 * dayMs);
    await signIn(user.email, ownPassword);
  });
});
