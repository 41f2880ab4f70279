import { describe, expect, test } from 'vitest';
import { aUser } from '../../drivers/app/builders.ts';
import { openSharedApp } from '../../drivers/app/open-shared.ts';

const others = [3, 1, 2].map((ms) => aUser({ createdAt: new Date(1_700_000_000_000 + ms) }));
const service = await openSharedApp();
const admin = await service.signedIn('admin');
for (const user of others) await service.backend.users.insert(user);

const list = (query = '') => admin.get(`/api/v1/users${query}`);

test('GET /api/v1/users/{id} returns 200 for the id in upper case', async () => {
  const url = `/api/v1/users/${admin.userId.toUpperCase()}`;
  const response = await admin.get(url);
  expect(response.statusCode).toBe(200);
  expect(response.json()).toMatchObject({ id: admin.userId, role: 'admin', disabled: false, lastSignInAt: null });
});

describe('GET /api/v1/users', () => {
  test('lists the newest user first, without password data', async () => {
    const response = await list();
    expect(response.statusCode).toBe(200);
    const { items, ...rest } = response.json();
    expect(rest).toEqual({ page: 1, pageSize: 50, totalItems: 4, totalPages: 1, hasNext: false });
    const expected = [admin.userId, others[0]?.id, others[2]?.id, others[1]?.id];
    expect(items.map(({ id }: { id: string }) => id)).toEqual(expected);
    expect(Object.keys(items[0])).toEqual([
      'id',
      'email',
      'name',
      'role',
      'disabled',
      'mustChangePassword',
      'identity',
      'createdAt',
      'lastSignInAt',
    ]);
    expect(response.body).not.toContain('argon2');
  });
});
