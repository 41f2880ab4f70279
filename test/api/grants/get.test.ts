import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { expectProblem } from '../../drivers/app/expect-problem.ts';
import { grantKinds } from '../../drivers/app/grant-kinds.ts';
import { openTestApp, type TestApp, type TestCaller } from '../../drivers/app/test-app.ts';

let service: TestApp;
let admin: TestCaller;
beforeAll(async () => {
  service = await openTestApp();
  admin = await service.signedIn('admin');
});
afterAll(() => service.close());

describe.each(grantKinds)('GET $path/{id}', ({ path }) => {
  const get = (id: string, headers: Record<string, string> = { cookie: admin.cookie }) =>
    service.inject({ method: 'GET', url: `${path}/${id}`, headers });
  const create = async () => {
    const payload = { name: 'mine' };
    return (await service.inject({ method: 'POST', url: path, headers: admin.headers, payload })).json();
  };

  test('returns 200 for the id in lower or upper case, without the token', async () => {
    const { token, url: _, ...grant } = await create();
    const response = await get(grant.id);
    expect(response.statusCode).toBe(200);
    expect(response.json()).toEqual(grant);
    expect(response.body).not.toContain(token);
    expect((await get(grant.id.toUpperCase())).json()).toEqual(grant);
    const head = await service.inject({
      method: 'HEAD',
      url: `${path}/${grant.id}`,
      headers: { cookie: admin.cookie },
    });
    expect([head.statusCode, head.body]).toEqual([200, '']);
  });

  test('returns 403 for an editor, and without a session', async () => {
    const [{ id }, editor] = [await create(), await service.signedIn('editor')];
    expectProblem(await get(id, { cookie: editor.cookie }), { status: 403, code: 'permission-denied' });
    expectProblem(await get(id, {}), { status: 403, code: 'not-authenticated' });
  });

  test.each(['0197a0b0-0000-7000-8000-00000000abcd', 'x', '%00', 'a'.repeat(500), '$where', '__proto__'])(
    'returns 404 for the id %s',
    async (id) => {
      expectProblem(await get(id), { status: 404, code: 'not-found' });
    },
  );

  test('returns 404 for the id of another kind of grant', async () => {
    const { id } = await create();
    for (const { path: other } of grantKinds.filter((kind) => kind.path !== path)) {
      const response = await service.inject({
        method: 'GET',
        url: `${other}/${id}`,
        headers: { cookie: admin.cookie },
      });
      expectProblem(response, { status: 404, code: 'not-found' });
    }
  });
});
