import { describe, expect, test } from 'vitest';
import { expectProblem } from '../../drivers/app/expect-problem.ts';
import { openSharedApp } from '../../drivers/app/open-shared.ts';

const service = await openSharedApp();
const admin = await service.signedIn('admin');

const path = '/api/v1/provision-tokens';
const send = (method: 'POST' | 'PATCH', url: string, payload: object) =>
  service.inject({ method, url, headers: admin.headers, payload });

describe('POST /api/v1/provision-tokens and PATCH /api/v1/provision-tokens/{id}: permissions', () => {
  test.each([
    ['left out', {}],
    ['null', { permissions: null }],
    ['given', { permissions: ['widgets:create'] }],
    ['given twice', { permissions: ['widgets:create', 'widgets:create'] }],
  ])('are [widgets:create] when %s', async (_, permissions) => {
    const created = await send('POST', path, { name: 'script', ...permissions });
    expect(created.statusCode).toBe(201);
    expect(created.json().permissions).toEqual(['widgets:create']);
    const changed = await send('PATCH', `${path}/${created.json().id}`, permissions);
    expect(changed.statusCode).toBe(200);
    expect(changed.json().permissions).toEqual(['widgets:create']);
  });

  test.each([
    ['a permission of users', ['widgets:create', 'users:manage'], '#/permissions/1', 'enum'],
    ['an empty array', [], '#/permissions', 'too-short'],
    ['a string', 'widgets:create', '#/permissions', 'type'],
  ])('return 400 invalid-request for %s', async (_, permissions, pointer, code) => {
    const { id } = (await send('POST', path, { name: 'script' })).json();
    const errors = [{ pointer, code }];
    for (const response of [
      await send('POST', path, { name: 'script', permissions }),
      await send('PATCH', `${path}/${id}`, { permissions }),
    ]) {
      expectProblem(response, { status: 400, code: 'invalid-request', errors });
    }
  });

  test('stay the same when other members change and when the token is rotated', async () => {
    const { id } = (await send('POST', path, { name: 'script' })).json();
    const changed = await send('PATCH', `${path}/${id}`, { name: 'other', expiresAt: '2099-01-01T00:00:00Z' });
    const rotated = await send('POST', `${path}/${id}/rotate`, {});
    for (const response of [changed, rotated]) expect(response.json().permissions).toEqual(['widgets:create']);
  });
});
