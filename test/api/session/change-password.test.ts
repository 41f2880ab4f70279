import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { aPerson, changePassword } from '../../drivers/a-person.ts';
import { expectProblem } from '../../drivers/expect-problem.ts';
import { openTestApp, type TestApp } from '../../drivers/test-app.ts';

const currentPassword = 'correct horse battery';
const newPassword = 'incorrect donkey charger';
let service: TestApp;
beforeAll(async () => {
  service = await openTestApp();
});
afterAll(() => service.close());

const change = (headers: Readonly<Record<string, string>>, payload: object) =>
  changePassword(service, headers, payload);

describe('204', () => {
  test('the new password counts, this session stays and the others end', async () => {
    const person = await aPerson(service, currentPassword);
    const [here, elsewhere] = [await person.session(), await person.session()];
    const response = await change(here, { currentPassword, newPassword });
    expect(response.statusCode).toBe(204);
    expect(response.body).toBe('');
    expect(response.headers['set-cookie']).toBeUndefined();
    expect((await person.show(here)).statusCode).toBe(200);
    expectProblem(await person.show(elsewhere), { status: 403, code: 'not-authenticated' });
    expectProblem(await person.signIn(currentPassword), { status: 403, code: 'invalid-credentials' });
    expect((await person.signIn(newPassword)).statusCode).toBe(200);
    expect(service.logLines.join('')).not.toMatch(/horse|donkey/);
  });
});

test('403: the current password is wrong, and nothing happens', async () => {
  const person = await aPerson(service, currentPassword);
  const [here, elsewhere] = [await person.session(), await person.session()];
  for (const wrong of ['', newPassword, `${currentPassword} `]) {
    const response = await change(here, { currentPassword: wrong, newPassword });
    expectProblem(response, { status: 403, code: 'invalid-credentials' });
  }
  expect((await person.show(elsewhere)).statusCode).toBe(200);
  expect((await person.signIn(currentPassword)).statusCode).toBe(200);
});

test.each([
  [{ currentPassword }, '#/newPassword', 'required'],
  [{ currentPassword, newPassword: 'too short' }, '#/newPassword', 'too-short'],
  [{ currentPassword, newPassword: 'x'.repeat(129) }, '#/newPassword', 'too-long'],
  [{ currentPassword, newPassword, email: 'a@example.org' }, '#/email', 'unknown-field'],
])('400: %j', async (payload, pointer, code) => {
  const { headers } = await service.signedIn('viewer');
  const response = await change(headers, payload);
  expectProblem(response, { status: 400, code: 'invalid-request', errors: [{ pointer, code }] });
});
