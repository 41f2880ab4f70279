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

const get = (id: string) =>
  service.inject({ method: 'GET', url: `/api/v1/users/${id}`, headers: { cookie: admin.cookie } });

test('200, by an id in either case', async () => {
  const response = await get(admin.userId.toUpperCase());
  expect(response.statusCode).toBe(200);
  expect(response.json()).toMatchObject({ id: admin.userId, role: 'admin', disabled: false, lastSignInAt: null });
});

test('404: unknown and malformed', async () => {
  for (const id of ['00000000-0000-4000-8000-000000000000', 'me', `${admin.userId}0`, '%00']) {
    expectProblem(await get(id), { status: 404, code: 'not-found' });
  }
});
