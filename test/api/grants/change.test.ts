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

describe.each(grantKinds)('PATCH $path/{id}', ({ path, kind, storeOf, defaults, changes }) => {
  const change = (id: string, payload: unknown, headers: Readonly<Record<string, string>> = admin.headers) =>
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
      ...shown
    } = (await service.inject({ method: 'POST', url: path, headers: admin.headers, payload })).json();
    return shown;
  };

  test('200: what is given changes and nothing else, member by member; the token stays', async () => {
    const before = await create();
    const { token } = (await storeOf(service.backend).get(before.id)) ?? {};
    let expected = before;
    for (const [name, value] of Object.entries(changes)) {
      expected = { ...expected, [name]: value };
      const response = await change(before.id, { [name]: value });
      expect(response.statusCode).toBe(200);
      expect(response.json()).toEqual(expected);
    }
    const read = await service.inject({
      method: 'GET',
      url: `${path}/${before.id.toUpperCase()}`,
      headers: { cookie: admin.cookie },
    });
    expect(read.json()).toEqual(expected);
    expect(await storeOf(service.backend).get(before.id)).toMatchObject({ token, previousToken: null });
  });

  test('200: null is the default', async () => {
    const before = await create(changes);
    const nulls = Object.fromEntries(Object.keys(changes).map((name) => [name, null]));
    const response = await change(before.id, { ...nulls, name: 'mine' });
    expect(response.json()).toEqual({ ...before, ...defaults, expiresAt: null, name: 'mine' });
  });

  test('200: no member changes nothing', async () => {
    const before = await create(changes);
    const response = await change(before.id, {});
    expect([response.statusCode, response.json()]).toEqual([200, before]);
  });

  test('200: every pod is told', async () => {
    const { id } = await create();
    await change(id, { name: 'other' });
    expect(control.announced).toContainEqual({ kind, id, change: 'changed' });
  });

  test.each<[string, unknown, string, string]>([
    ['name null', { name: null }, '#/name', 'type'],
    ['empty name', { name: '' }, '#/name', 'too-short'],
    ['expiresAt in the past', { expiresAt: '2026-01-01T00:00:00Z' }, '#/expiresAt', 'too-small'],
    ['expiresAt no time', { expiresAt: 'soon' }, '#/expiresAt', 'format'],
    ['the secret', { token: 'x' }, '#/token', 'unknown-field'],
    ['the address', { url: 'x' }, '#/url', 'unknown-field'],
    ['the signature', { signature: 'none' }, '#/signature', 'unknown-field'],
    ['when it was created', { createdAt: '2099-01-01T00:00:00Z' }, '#/createdAt', 'unknown-field'],
    ['what is none of it', { $set: { name: 'x' } }, '#/%24set', 'unknown-field'],
    ['no object', [], '#', 'type'],
    ['null', null, '#', 'required'],
  ])('400: %s', async (_, body, pointer, code) => {
    const before = await create();
    expectProblem(await change(before.id, body), { status: 400, code: 'invalid-request', errors: [{ pointer, code }] });
    expect((await change(before.id, {})).json()).toEqual(before);
  });

  test('403: an editor may not', async () => {
    const [{ id }, editor] = [await create(), await service.signedIn('editor')];
    expectProblem(await change(id, {}, editor.headers), { status: 403, code: 'permission-denied' });
    expectProblem(await change(id, {}, { cookie: admin.cookie }), { status: 403, code: 'csrf-token-invalid' });
  });

  test.each(['0197a0b0-0000-7000-8000-00000000abcd', 'x', '$where'])('404: %s', async (id) => {
    expectProblem(await change(id, {}), { status: 404, code: 'not-found' });
    expectProblem(await change(id, { name: 'other' }), { status: 404, code: 'not-found' });
  });

  test('503: the pods could not be told; repeated, they are', async () => {
    const before = await create();
    control.isAway = true;
    expectProblem(await change(before.id, { name: 'other' }), { status: 503, code: 'unavailable' });
    control.isAway = false;
    const response = await change(before.id, { name: 'other' });
    expect([response.statusCode, response.json()]).toEqual([200, { ...before, name: 'other' }]);
    expect(control.announced).toContainEqual({ kind, id: before.id, change: 'changed' });
  });
});
