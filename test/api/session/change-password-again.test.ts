import { UnavailableError } from '@widget-service/shared/domain/errors.ts';
import { afterEach, describe, expect, test } from 'vitest';
import { aPerson, changePassword } from '../../drivers/a-person.ts';
import { expectProblem } from '../../drivers/expect-problem.ts';
import { instead } from '../../drivers/override-method.ts';
import { openTestApp, type TestApp } from '../../drivers/test-app.ts';

const currentPassword = 'correct horse battery';
const newPassword = 'incorrect donkey charger';
const remoteAddress = '198.51.100.1';

let service: TestApp;
/** What is not to be had until it is forgotten. */
let away: 'removeAllOf' | 'announce' | null = null;
afterEach(() => service.close());

async function open(signInFailuresPerMinute: number): Promise<void> {
  away = null;
  service = await openTestApp({
    limits: { signInFailuresPerMinute },
    replace: ({ sessions, control }) => ({
      sessions: instead(sessions, 'removeAllOf', async (...given) => {
        failIf('removeAllOf');
        await sessions.removeAllOf(...given);
      }),
      control: instead(control, 'announce', async (entry) => {
        failIf('announce');
        await control.announce(entry);
      }),
    }),
  });
}

function failIf(name: typeof away): void {
  if (name === away) throw new UnavailableError('it is away');
}

const aPersonHere = () => aPerson(service, currentPassword, { remoteAddress });
const change = (headers: Readonly<Record<string, string>>, payload: object) =>
  changePassword(service, headers, payload, { remoteAddress });

describe.each(['removeAllOf', 'announce'] as const)('a change that fails at %s', (failing) => {
  test('is finished by the same request, sent once more', async () => {
    await open(5);
    const person = await aPersonHere();
    const [here, elsewhere] = [await person.session(), await person.session()];
    away = failing;
    const failed = await change(here, { currentPassword, newPassword });
    expectProblem(failed, { status: 503, code: 'unavailable' });
    expectProblem(await change(here, { currentPassword, newPassword }), { status: 503, code: 'unavailable' });
    away = null;
    expect((await change(here, { currentPassword, newPassword })).statusCode).toBe(204);
    expect((await person.show(here)).statusCode).toBe(200);
    expectProblem(await person.show(elsewhere), { status: 403, code: 'not-authenticated' });
    expect((await person.signIn(newPassword)).statusCode).toBe(200);
  });
});

describe('a guess at the password as the new one', () => {
  const guess = { currentPassword: 'wrong', newPassword: 'a guess at the password' };

  test('counts as a failure beside the one at the current password', async () => {
    await open(4);
    const here = await (await aPersonHere()).session();
    const statuses: number[] = [];
    for (let attempt = 0; attempt < 3; attempt += 1) statuses.push((await change(here, guess)).statusCode);
    expect(statuses).toEqual([403, 403, 429]);
  });

  test('is not looked at without a permit of its own', async () => {
    await open(1);
    const person = await aPersonHere();
    const [here, elsewhere] = [await person.session(), await person.session()];
    const response = await change(here, { currentPassword: 'wrong', newPassword: currentPassword });
    expectProblem(response, { status: 403, code: 'invalid-credentials' });
    expect((await person.show(elsewhere)).statusCode).toBe(200);
  });
});
