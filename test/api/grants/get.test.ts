import { describe, expect, test } from 'vitest';
import { expectProblem } from '../../drivers/app/expect-problem.ts';
import { grantKinds } from '../../drivers/app/grant-kinds.ts';
import { openSharedApp } from '../../drivers/app/open-shared.ts';

const service = await openSharedApp();
const admin = await service.signedIn('admin');

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
