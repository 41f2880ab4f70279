import { describe, expect, test } from 'vitest';
import { expectProblem } from '../../drivers/app/expect-problem.ts';
import { grantKinds } from '../../drivers/app/grant-kinds.ts';
import { openSharedApp } from '../../drivers/app/open-shared.ts';

const service = await openSharedApp();
const admin = await service.signedIn('admin');

describe.each(grantKinds)('GET $path', ({ path }) => {
  const list = (query = '', headers: Record<string, string> = { cookie: admin.cookie }) =>
    service.get(`${path}${query}`, headers);
  const create = async (name: string) => {
    const response = await admin.post(path, { name });
    return response.json();
  };

  test('returns an empty list at firstPage, then pages with the newest grant firstPage, without tokens', async () => {
    const empty = { items: [], page: 1, pageSize: 50, totalItems: 0, totalPages: 0, hasNext: false };
    expect((await list()).json()).toEqual(empty);
    const created = [await create('1'), await create('2'), await create('3')];

    const firstPage = (await list('?pageSize=2')).json();
    expect(firstPage).toMatchObject({ page: 1, pageSize: 2, totalItems: 3, totalPages: 2, hasNext: true });
    expect(firstPage.items.map(({ name }: { name: string }) => name)).toEqual(['3', '2']);
    const secondPage = (await list('?pageSize=2&page=2')).json();
    expect(secondPage).toMatchObject({ page: 2, pageSize: 2, totalItems: 3, totalPages: 2, hasNext: false });
    const pastTheEnd = (await list('?page=2147483647')).json();
    expect(pastTheEnd).toMatchObject({ items: [], page: 2_147_483_647, totalItems: 3, totalPages: 1, hasNext: false });

    for (const item of [...firstPage.items, ...secondPage.items]) {
      const { token, url: _, ...grant } = created.find(({ id }) => id === item.id);
      expect(item).toEqual(grant);
      expect(JSON.stringify(item)).not.toContain(token);
    }
    expect(secondPage.items).toHaveLength(1);
  });

  test('lists only grants that expire before a time, and counts only them', async () => {
    const expiresAt = '2098-01-01T00:00:00.000Z';
    const payload = { name: 'expiring', expiresAt };
    await admin.post(path, payload);
    const found = (await list('?expiresBefore=2098-01-01T00:00:00.001Z&pageSize=1')).json();
    expect(found).toMatchObject({ items: [{ name: 'expiring', expiresAt }], totalItems: 1, hasNext: false });
    expect((await list(`?expiresBefore=${expiresAt}`)).json()).toMatchObject({ items: [], totalItems: 0 });
  });

  test('lists only grants whose name contains a text, and counts only them', async () => {
    for (const name of ['Wall screen', 'Wallpaper (old)', 'Phone']) await create(name);
    const found = (await list('?name=wall&pageSize=1')).json();
    expect(found).toMatchObject({ items: [{ name: 'Wallpaper (old)' }], totalItems: 2, hasNext: true });
    expect((await list(`?name=${encodeURIComponent('(OLD)')}`)).json()).toMatchObject({ totalItems: 1 });
    expect((await list(`?name=${encodeURIComponent('wall.*')}`)).json()).toMatchObject({ items: [], totalItems: 0 });
  });

  test('lists only grants that were created before a time, and counts only them', async () => {
    const all: { createdAt: string }[] = (await list('?pageSize=200')).json().items;
    const newest = all[0]?.createdAt ?? '';
    const older = all.filter(({ createdAt }) => createdAt < newest);
    expect((await list(`?createdBefore=${newest}&pageSize=200`)).json()).toMatchObject({
      items: older,
      totalItems: older.length,
    });
    const justAfter = new Date(Date.parse(newest) + 1).toISOString();
    expect((await list(`?createdBefore=${justAfter}&pageSize=200`)).json()).toMatchObject({ items: all });
  });
});

describe.each(grantKinds)('GET $path/{id}', ({ path }) => {
  const get = (id: string, headers: Record<string, string> = { cookie: admin.cookie }) =>
    service.get(`${path}/${id}`, headers);
  const create = async () => {
    const payload = { name: 'mine' };
    return (await admin.post(path, payload)).json();
  };

  test('returns 200 for the id in lower or upper case, without the token', async () => {
    const { token, url: _, ...grant } = await create();
    const response = await get(grant.id);
    expect(response.statusCode).toBe(200);
    expect(response.json()).toEqual(grant);
    expect(response.body).not.toContain(token);
    expect((await get(grant.id.toUpperCase())).json()).toEqual(grant);
    const head = await service.inject({ method: 'HEAD', url: `${path}/${grant.id}`, headers: admin.headers });
    expect([head.statusCode, head.body]).toEqual([200, '']);
  });

  test('returns 404 for the id of another kind of grant', async () => {
    const { id } = await create();
    for (const { path: other } of grantKinds.filter((kind) => kind.path !== path)) {
      const response = await admin.get(`${other}/${id}`);
      expectProblem(response, { status: 404, code: 'not-found' });
    }
  });
});
