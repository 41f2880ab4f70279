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

describe.each(grantKinds)('GET $path/{id}', ({ path }) => {
  const get = (id: string, headers: Record<string, string> = { cookie: admin.cookie }) =>
    service.inject({ method: 'GET', url: `${path}/${id}`, headers });
  const create = async () => {
    const payload = { name: 'mine' };
    return (await service.inject({ method: 'POST', url: path, headers: admin.headers, payload })).json();
  };

  test('200: in either case of the id, and never with a secret', async () => {
    const { token, url: _, ...shown } = await create();
    const response = await get(shown.id);
    expect(response.statusCode).toBe(200);
    expect(response.json()).toEqual(shown);
    expect(response.body).not.toContain(token);
    expect((await get(shown.id.toUpperCase())).json()).toEqual(shown);
    const head = await service.inject({
      method: 'HEAD',
      url: `${path}/${shown.id}`,
      headers: { cookie: admin.cookie },
    });
    expect([head.statusCode, head.body]).toEqual([200, '']);
  });

  test('403: an editor may not', async () => {
    const [{ id }, editor] = [await create(), await service.signedIn('editor')];
    expectProblem(await get(id, { cookie: editor.cookie }), { status: 403, code: 'permission-denied' });
    expectProblem(await get(id, {}), { status: 403, code: 'not-authenticated' });
  });

  test.each(['0197a0b0-0000-7000-8000-00000000abcd', 'x', '%00', 'a'.repeat(500), '$where', '__proto__'])(
    '404: %s',
    async (id) => {
      expectProblem(await get(id), { status: 404, code: 'not-found' });
    },
  );

  test('404: what another kind of grant is known by', async () => {
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
