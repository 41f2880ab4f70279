import { isWellFormedToken, sha256Hex } from '@widget-service/shared/domain/token.ts';
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

describe.each(grantKinds)('POST $path', ({ path, prefix, pathOf, storeOf, defaults, changes }) => {
  const create = (payload: object, headers: Readonly<Record<string, string>> = admin.headers) =>
    service.inject({ method: 'POST', url: path, headers: { host: 'widgets.example:8080', ...headers }, payload });

  test('201: with a name alone; everything else is its default', async () => {
    const response = await create({ name: '  mine ' });
    expect(response.statusCode).toBe(201);
    const { id, token, createdAt, ...rest } = response.json();
    expect(rest).toEqual({
      name: 'mine',
      ...defaults,
      expiresAt: null,
      ...(pathOf === null ? {} : { url: `http://widgets.example:8080${pathOf(token)}` }),
    });
    expect(Date.parse(createdAt)).toBeLessThanOrEqual(Date.now());
    expect(isWellFormedToken(token, prefix)).toBe(true);
    expect(response.headers.location).toBe(`${path.slice('/api/v1/'.length)}/${id}`);
  });

  test('201: with everything that can be chosen; Location is where it is read', async () => {
    const response = await create(changes);
    expect(response.statusCode).toBe(201);
    expect(response.json()).toMatchObject(changes);
    const url = new URL(String(response.headers.location), `http://host${path}`).pathname;
    const read = await service.inject({ method: 'GET', url, headers: { cookie: admin.cookie } });
    expect(read.json()).toEqual({
      ...defaults,
      ...changes,
      id: response.json().id,
      createdAt: response.json().createdAt,
    });
  });

  test('201: null for what may be left out is its default', async () => {
    const nulls = Object.fromEntries(Object.keys(changes).map((name) => [name, null]));
    const response = await create({ ...nulls, name: 'mine' });
    expect(response.statusCode).toBe(201);
    expect(response.json()).toMatchObject({ ...defaults, expiresAt: null });
  });

  test('201: only the digest of the token is kept, and no log line has it', async () => {
    const { id, token } = (await create({ name: 'mine' })).json();
    const stored = await storeOf(service.backend).get(id);
    expect(stored?.token).toEqual({ digest: sha256Hex(token), sealedSecret: null });
    expect(JSON.stringify(stored)).not.toContain(token);
    expect(service.logLines.join('')).not.toContain(token);
  });

  test.each<[string, object, string, string]>([
    ['no name', {}, '#/name', 'required'],
    ['name null', { name: null }, '#/name', 'type'],
    ['empty name', { name: ' ' }, '#/name', 'too-short'],
    ['long name', { name: 'a'.repeat(201) }, '#/name', 'too-long'],
    ['expiresAt of another type', { name: 'x', expiresAt: 1 }, '#/expiresAt', 'type'],
    ['expiresAt without a zone', { name: 'x', expiresAt: '2099-01-01T00:00:00' }, '#/expiresAt', 'format'],
    ['expiresAt in another zone', { name: 'x', expiresAt: '2099-01-01T00:00:00+01:00' }, '#/expiresAt', 'format'],
    ['expiresAt on no day', { name: 'x', expiresAt: '2099-02-29T00:00:00Z' }, '#/expiresAt', 'format'],
    ['expiresAt in the past', { name: 'x', expiresAt: '2026-01-01T00:00:00Z' }, '#/expiresAt', 'too-small'],
    ['a token of the caller', { name: 'x', token: 'x' }, '#/token', 'unknown-field'],
    ['an id of the caller', { name: 'x', id: 'x' }, '#/id', 'unknown-field'],
  ])('400: %s', async (_, body, pointer, code) => {
    expectProblem(await create(body), { status: 400, code: 'invalid-request', errors: [{ pointer, code }] });
  });

  test('400: no body', async () => {
    const response = await service.inject({ method: 'POST', url: path, headers: admin.headers });
    expectProblem(response, { status: 400, code: 'invalid-request', errors: [{ pointer: '#', code: 'required' }] });
  });

  test('403: an editor may not', async () => {
    const editor = await service.signedIn('editor');
    expectProblem(await create({ name: 'x' }, editor.headers), { status: 403, code: 'permission-denied' });
    expectProblem(await create({ name: 'x' }, {}), { status: 403, code: 'not-authenticated' });
    expectProblem(await create({ name: 'x' }, { cookie: admin.cookie }), { status: 403, code: 'csrf-token-invalid' });
  });

  test('403: a provision token is no credential for it', async () => {
    const { token } = (
      await service.inject({
        method: 'POST',
        url: '/api/v1/provision-tokens',
        headers: admin.headers,
        payload: { name: 'script' },
      })
    ).json();
    const response = await create({ name: 'x' }, { authorization: `Bearer ${token}` });
    expectProblem(response, { status: 403, code: 'not-authenticated' });
    expect(response.headers['www-authenticate']).toBeUndefined();
  });
});

test('the addresses have the configured base, also one with a path', async () => {
  const behindProxy = await openTestApp({ publicBaseUrl: 'https://widgets.example/base' });
  const { headers } = await behindProxy.signedIn('admin');
  for (const { path, pathOf } of grantKinds.filter((kind) => kind.pathOf !== null)) {
    const response = await behindProxy.inject({ method: 'POST', url: path, headers, payload: { name: 'x' } });
    const { url, token } = response.json();
    expect(url).toBe(`https://widgets.example/base${pathOf?.(token)}`);
  }
  await behindProxy.close();
});
