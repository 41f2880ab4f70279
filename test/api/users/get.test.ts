import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { expectProblem } from '../../drivers/app/expect-problem.ts';
import { openTestApp, type TestApp, type TestCaller } from '../../drivers/app/test-app.ts';

let service: TestApp;
let admin: TestCaller;
beforeAll(async () => {
  service = await openTestApp();
  admin = await service.signedIn('admin');
});
afterAll(() => service.close());

const get = (id: string) =>
  service.inject({ method: 'GET', url: `/api/v1/users/${id}`, headers: { cookie: admin.cookie } });

describe('GET /api/v1/users/{id}', () => {
  test('returns 200 for the id in upper case', async () => {
    const response = await get(admin.userId.toUpperCase());
    expect(response.statusCode).toBe(200);
    expect(response.json()).toMatchObject({ id: admin.userId, role: 'admin', disabled: false, lastSignInAt: null });
  });

  test('returns 404 for an unknown and a malformed id', async () => {
    for (const id of ['00000000-0000-4000-8000-000000000000', 'me', `${admin.userId}0`, '%00']) {
      expectProblem(await get(id), { status: 404, code: 'not-found' });
    }
  });
});
