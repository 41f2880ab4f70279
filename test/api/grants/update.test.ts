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

describe.each(grantKinds)('PATCH $path/{id}', ({ path, kind, selectStore, defaults, changes }) => {
  const update = (id: string, payload: unknown, headers: Readonly<Record<string, string>> = admin.headers) =>
    service.inject({
      method: 'PATCH',
      url: `${path}/${id}`,
      headers: { ...headers, 'content-type': 'application/json' },
      payload: JSON.stringify(payload),
    });
  const create = async (payload: object = { name: 'mine' }) => {
    const {
      token: _,
      url: __,
      ...grant
    } = (await service.inject({ method: 'POST', url: path, headers: admin.headers, payload })).json();
    return grant;
  };

  test('returns 200 and changes only the given member; the token stays the same', async () => {
    const before = await create();
    const { token } = (await selectStore(service.backend).get(before.id)) ?? {};
    let expected = before;
    for (const [name, value] of Object.entries(changes)) {
      expected = { ...expected, [name]: value };
      const response = await update(before.id, { [name]: value });
      expect(response.statusCode).toBe(200);
      expect(response.json()).toEqual(expected);
    }
    const read = await service.inject({
      method: 'GET',
      url: `${path}/${before.id.toUpperCase()}`,
      headers: { cookie: admin.cookie },
    });
    expect(read.json()).toEqual(expected);
    expect(await selectStore(service.backend).get(before.id)).toMatchObject({ token, previousToken: null });
  });

  test('returns 200 and resets a member that is null to its default', async () => {
    const before = await create(changes);
    const nulls = Object.fromEntries(Object.keys(changes).map((name) => [name, null]));
    const response = await update(before.id, { ...nulls, name: 'mine' });
    expect(response.json()).toEqual({ ...before, ...defaults, expiresAt: null, name: 'mine' });
  });

  test('returns 200 and changes nothing for an empty object', async () => {
    const before = await create(changes);
    const response = await update(before.id, {});
    expect([response.statusCode, response.json()]).toEqual([200, before]);
  });

  test('announces the change to every pod', async () => {
    const { id } = await create();
    await update(id, { name: 'other' });
    expect(control.announced).toContainEqual({ kind, id, change: 'changed' });
  });

  test.each<[string, unknown, string, string]>([
    ['a null name', { name: null }, '#/name', 'type'],
    ['an empty name', { name: '' }, '#/name', 'too-short'],
    ['an expiresAt in the past', { expiresAt: '2026-01-01T00:00:00Z' }, '#/expiresAt', 'too-small'],
    ['a malformed expiresAt', { expiresAt: 'soon' }, '#/expiresAt', 'format'],
    ['a token', { token: 'x' }, '#/token', 'unknown-field'],
    ['a url', { url: 'x' }, '#/url', 'unknown-field'],
    ['a signature', { signature: 'none' }, '#/signature', 'unknown-field'],
    ['a createdAt', { createdAt: '2099-01-01T00:00:00Z' }, '#/createdAt', 'unknown-field'],
    ['an unknown field', { $set: { name: 'x' } }, '#/%24set', 'unknown-field'],
    ['an array as the whole body', [], '#', 'type'],
    ['null as the whole body', null, '#', 'required'],
  ])('returns 400 invalid-request for %s', async (_, body, pointer, code) => {
    const before = await create();
    expectProblem(await update(before.id, body), { status: 400, code: 'invalid-request', errors: [{ pointer, code }] });
    expect((await update(before.id, {})).json()).toEqual(before);
  });

  test('returns 403 for an editor, and without the CSRF token', async () => {
    const [{ id }, editor] = [await create(), await service.signedIn('editor')];
    expectProblem(await update(id, {}, editor.headers), { status: 403, code: 'permission-denied' });
    expectProblem(await update(id, {}, { cookie: admin.cookie }), { status: 403, code: 'csrf-token-invalid' });
  });

  test.each(['0197a0b0-0000-7000-8000-00000000abcd', 'x', '$where'])('returns 404 for the id %s', async (id) => {
    expectProblem(await update(id, {}), { status: 404, code: 'not-found' });
    expectProblem(await update(id, { name: 'other' }), { status: 404, code: 'not-found' });
  });

  test('returns 503 while the control log is unavailable; the repeated request announces the change', async () => {
    const before = await create();
    control.isUnavailable = true;
    expectProblem(await update(before.id, { name: 'other' }), { status: 503, code: 'unavailable' });
    control.isUnavailable = false;
    const response = await update(before.id, { name: 'other' });
    expect([response.statusCode, response.json()]).toEqual([200, { ...before, name: 'other' }]);
    expect(control.announced).toContainEqual({ kind, id: before.id, change: 'changed' });
  });
});
