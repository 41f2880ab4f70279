import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { expectProblem } from '../../drivers/app/expect-problem.ts';
import { grantKinds } from '../../drivers/app/grant-kinds.ts';
import type { TestApp, TestCaller } from '../../drivers/app/test-app.ts';
import { openAppWithWatchedControlLog, type WatchedControlLog } from '../../drivers/app/watched-control-log.ts';

let service: TestApp;
let admin: TestCaller;
let control: WatchedControlLog;
beforeAll(async () => {
  ({ service, control } = await openAppWithWatchedControlLog());
  admin = await service.signedIn('admin');
});
afterAll(() => service.close());

describe.each(grantKinds)('DELETE $path/{id}', ({ path, kind, selectStore }) => {
  const remove = (id: string, headers: Readonly<Record<string, string>> = admin.headers) =>
    service.inject({ method: 'DELETE', url: `${path}/${id}`, headers });
  const create = async () => {
    const payload = { name: 'mine' };
    return (await service.inject({ method: 'POST', url: path, headers: admin.headers, payload })).json();
  };

  test('returns 204, announces the revocation to every pod, and returns 404 from then on', async () => {
    const [{ id }, other] = [await create(), await create()];
    const response = await remove(id);
    expect([response.statusCode, response.body]).toEqual([204, '']);
    expect(control.announced.filter((entry) => entry.id === id)).toEqual([{ kind, id, change: 'revoked' }]);
    const read = await service.inject({ method: 'GET', url: `${path}/${id}`, headers: { cookie: admin.cookie } });
    expectProblem(read, { status: 404, code: 'not-found' });
    expectProblem(await remove(id), { status: 404, code: 'not-found' });
    expect(await selectStore(service.backend).get(id)).toBeNull();
    expect(await selectStore(service.backend).get(other.id)).not.toBeNull();
  });

  test('returns 204 for a JSON content type without a body', async () => {
    const { id } = await create();
    expect((await remove(id, { ...admin.headers, 'content-type': 'application/json' })).statusCode).toBe(204);
  });

  test('returns 403 for an editor, and without the CSRF token', async () => {
    const [{ id }, editor] = [await create(), await service.signedIn('editor')];
    expectProblem(await remove(id, editor.headers), { status: 403, code: 'permission-denied' });
    expectProblem(await remove(id, { cookie: admin.cookie }), { status: 403, code: 'csrf-token-invalid' });
    expect(await selectStore(service.backend).get(id)).not.toBeNull();
  });

  test.each(['0197a0b0-0000-7000-8000-00000000abcd', 'x', '$where'])('returns 404 for the id %s', async (id) => {
    expectProblem(await remove(id), { status: 404, code: 'not-found' });
  });

  test('returns 503 while the control log is unavailable; the repeated request announces the revocation', async () => {
    const { id } = await create();
    control.isUnavailable = true;
    expectProblem(await remove(id), { status: 503, code: 'unavailable' });
    expect(await selectStore(service.backend).get(id)).toBeNull();
    expectProblem(await remove(id), { status: 503, code: 'unavailable' });
    control.isUnavailable = false;
    expectProblem(await remove(id), { status: 404, code: 'not-found' });
    expect(control.announced).toContainEqual({ kind, id, change: 'revoked' });
  });
});
