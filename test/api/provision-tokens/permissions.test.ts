import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { expectProblem } from '../../drivers/expect-problem.ts';
import { openTestApp, type TestApp, type TestCaller } from '../../drivers/test-app.ts';

let service: TestApp;
let admin: TestCaller;
beforeAll(async () => {
  service = await openTestApp();
  admin = await service.signedIn('admin');
});
afterAll(() => service.close());

const path = '/api/v1/provision-tokens';
const send = (method: 'POST' | 'PATCH', url: string, payload: object) =>
  service.inject({ method, url, headers: admin.headers, payload });

describe('what a script is trusted with', () => {
  test.each([
    ['left out', {}],
    ['null', { permissions: null }],
    ['given', { permissions: ['widgets:create'] }],
    ['given twice', { permissions: ['widgets:create', 'widgets:create'] }],
  ])('is to create widgets: %s', async (_, chosen) => {
    const created = await send('POST', path, { name: 'script', ...chosen });
    expect(created.statusCode).toBe(201);
    expect(created.json().permissions).toEqual(['widgets:create']);
    const changed = await send('PATCH', `${path}/${created.json().id}`, chosen);
    expect(changed.statusCode).toBe(200);
    expect(changed.json().permissions).toEqual(['widgets:create']);
  });

  test.each([
    ['a right of people', ['widgets:create', 'users:manage'], '#/permissions/1', 'enum'],
    ['nothing at all', [], '#/permissions', 'too-short'],
    ['a text', 'widgets:create', '#/permissions', 'type'],
  ])('is not %s', async (_, permissions, pointer, code) => {
    const { id } = (await send('POST', path, { name: 'script' })).json();
    const errors = [{ pointer, code }];
    for (const response of [
      await send('POST', path, { name: 'script', permissions }),
      await send('PATCH', `${path}/${id}`, { permissions }),
    ]) {
      expectProblem(response, { status: 400, code: 'invalid-request', errors });
    }
  });

  test('stays the same whatever else is changed', async () => {
    const { id } = (await send('POST', path, { name: 'script' })).json();
    const changed = await send('PATCH', `${path}/${id}`, { name: 'other', expiresAt: '2099-01-01T00:00:00Z' });
    const rotated = await send('POST', `${path}/${id}/rotate`, {});
    for (const response of [changed, rotated]) expect(response.json().permissions).toEqual(['widgets:create']);
  });
});
