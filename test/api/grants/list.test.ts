import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { expectProblem } from '../../drivers/expect-problem.ts';
import { grantKinds } from '../../drivers/grant-kinds.ts';
import { openTestApp, type TestApp, type TestCaller } from '../../drivers/test-app.ts';

let service: TestApp;
let admin: TestCaller;
beforeAll(async () => {
  service = await openTestApp();
  admin = await service.signedIn('admin');
});
afterAll(() => service.close());

describe.each(grantKinds)('GET $path', ({ path }) => {
  const list = (query = '', headers: Record<string, string> = { cookie: admin.cookie }) =>
    service.inject({ method: 'GET', url: `${path}${query}`, headers });
  const create = async (name: string) => {
    const response = await service.inject({ method: 'POST', url: path, headers: admin.headers, payload: { name } });
    return response.json();
  };

  test('200: nothing yet, then newest first in pages; no answer has a secret', async () => {
    const empty = { items: [], page: 1, pageSize: 50, totalItems: 0, totalPages: 0, hasNext: false };
    expect((await list()).json()).toEqual(empty);
    const created = [await create('1'), await create('2'), await create('3')];

    const first = (await list('?pageSize=2')).json();
    expect(first).toMatchObject({ page: 1, pageSize: 2, totalItems: 3, totalPages: 2, hasNext: true });
    expect(first.items.map(({ name }: { name: string }) => name)).toEqual(['3', '2']);
    const second = (await list('?pageSize=2&page=2')).json();
    expect(second).toMatchObject({ page: 2, pageSize: 2, totalItems: 3, totalPages: 2, hasNext: false });
    const past = (await list('?page=2147483647')).json();
    expect(past).toMatchObject({ items: [], page: 2_147_483_647, totalItems: 3, totalPages: 1, hasNext: false });

    for (const item of [...first.items, ...second.items]) {
      const { token, url: _, ...shown } = created.find(({ id }) => id === item.id);
      expect(item).toEqual(shown);
      expect(JSON.stringify(item)).not.toContain(token);
    }
    expect(second.items).toHaveLength(1);
  });

  test.each([
    ['?page=0', 'page', 'too-small'],
    ['?pageSize=201', 'pageSize', 'too-large'],
    ['?pageSize=1&pageSize=2', 'pageSize', 'repeated'],
    ['?state=active', 'state', 'unknown-field'],
  ])('400: %s', async (query, parameter, code) => {
    expectProblem(await list(query), { status: 400, code: 'invalid-request', errors: [{ parameter, code }] });
  });

  test('403: an editor may not', async () => {
    const editor = await service.signedIn('editor');
    expectProblem(await list('', { cookie: editor.cookie }), { status: 403, code: 'permission-denied' });
    expectProblem(await list('', {}), { status: 403, code: 'not-authenticated' });
  });
});
