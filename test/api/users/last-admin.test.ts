import { afterAll, beforeAll, expect, test } from 'vitest';
import { expectProblem } from '../../drivers/expect-problem.ts';
import { openTestApp, type TestApp, type TestCaller } from '../../drivers/test-app.ts';

let service: TestApp;
let admin: TestCaller;
beforeAll(async () => {
  service = await openTestApp();
  admin = await service.signedIn('admin');
});
afterAll(() => service.close());

const change = (caller: TestCaller, payload: object) =>
  service.inject({ method: 'PATCH', url: `/api/v1/users/${caller.userId}`, headers: caller.headers, payload });

test('409: the only admin stays one, and stays signed in', async () => {
  await service.signedIn('editor');
  for (const payload of [{ role: 'viewer' }, { disabled: true }, { disabled: true, password: 'another password' }]) {
    expectProblem(await change(admin, payload), { status: 409, code: 'last-admin' });
  }
  const shown = await service.inject({ method: 'GET', url: '/api/v1/session', headers: { cookie: admin.cookie } });
  expect(shown.json()).toMatchObject({ user: { role: 'admin', disabled: false } });
});

test('of two admins who give up at the same moment, one stays', async () => {
  const other = await service.signedIn('admin');
  const responses = await Promise.all([change(admin, { role: 'viewer' }), change(other, { disabled: true })]);
  expect(responses.map(({ statusCode }) => statusCode).toSorted()).toEqual([200, 409]);
});
