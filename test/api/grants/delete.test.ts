import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { expectProblem } from '../../drivers/expect-problem.ts';
import { grantKinds } from '../../drivers/grant-kinds.ts';
import { openTestApp, type TestApp, type TestCaller } from '../../drivers/test-app.ts';
import { type WatchedControl, watchControl } from '../../drivers/watched-control.ts';

let service: TestApp;
let admin: TestCaller;
let control: WatchedControl;
beforeAll(async () => {
  service = await openTestApp({
    replace: (real) => {
      control = watchControl(real.control);
      return { control };
    },
  });
  admin = await service.signedIn('admin');
});
afterAll(() => service.close());

describe.each(grantKinds)('DELETE $path/{id}', ({ path, kind, storeOf }) => {
  const remove = (id: string, headers: Readonly<Record<string, string>> = admin.headers) =>
    service.inject({ method: 'DELETE', url: `${path}/${id}`, headers });
  const create = async () => {
    const payload = { name: 'mine' };
    return (await service.inject({ method: 'POST', url: path, headers: admin.headers, payload })).json();
  };

  test('204: it is gone, and every pod is told; then 404', async () => {
    const [{ id }, other] = [await create(), await create()];
    const response = await remove(id);
    expect([response.statusCode, response.body]).toEqual([204, '']);
    expect(control.announced.filter((entry) => entry.id === id)).toEqual([{ kind, id, change: 'revoked' }]);
    const read = await service.inject({ method: 'GET', url: `${path}/${id}`, headers: { cookie: admin.cookie } });
    expectProblem(read, { status: 404, code: 'not-found' });
    expectProblem(await remove(id), { status: 404, code: 'not-found' });
    expect(await storeOf(service.backend).get(id)).toBeNull();
    expect(await storeOf(service.backend).get(other.id)).not.toBeNull();
  });

  test('204: with the header of a JSON body and no body', async () => {
    const { id } = await create();
    expect((await remove(id, { ...admin.headers, 'content-type': 'application/json' })).statusCode).toBe(204);
  });

  test('403: an editor may not', async () => {
    const [{ id }, editor] = [await create(), await service.signedIn('editor')];
    expectProblem(await remove(id, editor.headers), { status: 403, code: 'permission-denied' });
    expectProblem(await remove(id, { cookie: admin.cookie }), { status: 403, code: 'csrf-token-invalid' });
    expect(await storeOf(service.backend).get(id)).not.toBeNull();
  });

  test.each(['0197a0b0-0000-7000-8000-00000000abcd', 'x', '$where'])('404: %s', async (id) => {
    expectProblem(await remove(id), { status: 404, code: 'not-found' });
  });

  test('503: the pods could not be told; repeated, they are, though it is gone', async () => {
    const { id } = await create();
    control.isAway = true;
    expectProblem(await remove(id), { status: 503, code: 'unavailable' });
    expect(await storeOf(service.backend).get(id)).toBeNull();
    expectProblem(await remove(id), { status: 503, code: 'unavailable' });
    control.isAway = false;
    expectProblem(await remove(id), { status: 404, code: 'not-found' });
    expect(control.announced).toContainEqual({ kind, id, change: 'revoked' });
  });
});
