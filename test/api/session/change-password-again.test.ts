import { UnavailableError } from '@widget-service/shared/domain/errors.ts';
import { createPasswordHasher } from '@widget-service/shared/usecases/access/hash-password.ts';
import { afterEach, describe, expect, test } from 'vitest';
import { aUser } from '../../support/builders.ts';
import { expectProblem } from '../../support/expect-problem.ts';
import { openTestApp, type TestApp } from '../../support/test-app.ts';

const currentPassword = 'correct horse battery';
const newPassword = 'incorrect donkey charger';
const address = '198.51.100.1';

let service: TestApp;
/** What is not to be had until it is forgotten. */
let away: 'removeAllOf' | 'announce' | null = null;
afterEach(() => service.close());

async function open(signInFailuresPerMinute: number): Promise<void> {
  away = null;
  service = await openTestApp({
    limits: { signInFailuresPerMinute },
    replace: ({ sessions, control }) => ({ sessions: breakable(sessions), control: breakable(control) }),
  });
}

function breakable<Port extends object>(port: Port): Port {
  return new Proxy(port, {
    get: (target, name) => {
      const member = Reflect.get(target, name, target);
      if (typeof member !== 'function') return member;
      return (...given: unknown[]) =>
        name === away ? Promise.reject(new UnavailableError('it is away')) : member.apply(target, given);
    },
  });
}

async function aPerson() {
  const user = aUser({ passwordHash: await createPasswordHasher().hash(currentPassword) });
  await service.backend.users.insert(user);
  const signIn = (password: string) =>
    service.app.inject({
      method: 'POST',
      url: '/api/v1/session',
      remoteAddress: address,
      payload: { email: user.email, password },
    });
  const session = async () => {
    const response = await signIn(currentPassword);
    const cookie = String(response.headers['set-cookie']).split(';')[0] ?? '';
    return { cookie, 'x-csrf-token': String(response.json().csrfToken) };
  };
  return { signIn, session };
}

const change = (headers: Readonly<Record<string, string>>, payload: object) =>
  service.app.inject({ method: 'PUT', url: '/api/v1/session/password', remoteAddress: address, headers, payload });
const show = ({ cookie }: { readonly cookie: string }) =>
  service.inject({ method: 'GET', url: '/api/v1/session', headers: { cookie } });

describe.each(['removeAllOf', 'announce'] as const)('a change that fails at %s', (failing) => {
  test('is finished by the same request, sent once more', async () => {
    await open(5);
    const person = await aPerson();
    const [here, elsewhere] = [await person.session(), await person.session()];
    away = failing;
    const failed = await change(here, { currentPassword, newPassword });
    expectProblem(failed, { status: 503, code: 'unavailable' });
    expectProblem(await change(here, { currentPassword, newPassword }), { status: 503, code: 'unavailable' });
    away = null;
    expect((await change(here, { currentPassword, newPassword })).statusCode).toBe(204);
    expect((await show(here)).statusCode).toBe(200);
    expectProblem(await show(elsewhere), { status: 403, code: 'not-authenticated' });
    expect((await person.signIn(newPassword)).statusCode).toBe(200);
  });
});

describe('a guess at the password as the new one', () => {
  const guess = { currentPassword: 'wrong', newPassword: 'a guess at the password' };

  test('counts as a failure beside the one at the current password', async () => {
    await open(4);
    const here = await (await aPerson()).session();
    const statuses: number[] = [];
    for (let attempt = 0; attempt < 3; attempt += 1) statuses.push((await change(here, guess)).statusCode);
    expect(statuses).toEqual([403, 403, 429]);
  });

  test('is not looked at without a permit of its own', async () => {
    await open(1);
    const person = await aPerson();
    const [here, elsewhere] = [await person.session(), await person.session()];
    const response = await change(here, { currentPassword: 'wrong', newPassword: currentPassword });
    expectProblem(response, { status: 403, code: 'invalid-credentials' });
    expect((await show(elsewhere)).statusCode).toBe(200);
  });
});
