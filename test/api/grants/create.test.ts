import { isWellFormedToken, sha256Hex } from '@widget-service/shared/domain/token.ts';
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

describe.each(grantKinds)('POST $path', ({ path, prefix, buildPath, selectStore, defaults, changes }) => {
  const create = (payload: object, headers: Readonly<Record<string, string>> = admin.headers) =>
    service.inject({ method: 'POST', url: path, headers: { host: 'widgets.example:8080', ...headers }, payload });

  test('returns 201 with defaults for a name alone', async () => {
    const response = await create({ name: '  mine ' });
    expect(response.statusCode).toBe(201);
    const { id, token, createdAt, tokenIssuedAt, ...rest } = response.json();
    expect(rest).toEqual({
      name: 'mine',
      ...defaults,
      expiresAt: null,
      createdBy: admin.userId,
      ...(buildPath === null ? {} : { url: `http://widgets.example:8080${buildPath(token)}` }),
    });
    expect(Date.parse(createdAt)).toBeLessThanOrEqual(Date.now());
    expect(tokenIssuedAt).toBe(createdAt);
    expect(isWellFormedToken(token, prefix)).toBe(true);
    expect(response.headers.location).toBe(`${path.slice('/api/v1/'.length)}/${id}`);
  });

  test('returns 201 with every given member, and the Location of the grant', async () => {
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
      createdBy: admin.userId,
      tokenIssuedAt: response.json().createdAt,
    });
  });

  test('returns 201 and uses the default for a member that is null', async () => {
    const nulls = Object.fromEntries(Object.keys(changes).map((name) => [name, null]));
    const response = await create({ ...nulls, name: 'mine' });
    expect(response.statusCode).toBe(201);
    expect(response.json()).toMatchObject({ ...defaults, expiresAt: null });
  });

  test('stores only the digest of the token, and logs no token', async () => {
    const { id, token } = (await create({ name: 'mine' })).json();
    const stored = await selectStore(service.backend).get(id);
    expect(stored?.token).toEqual({ digest: sha256Hex(token), sealedSecret: null });
    expect(JSON.stringify(stored)).not.toContain(token);
    expect(service.logLines.join('')).not.toContain(token);
  });

  test.each<[string, object, string, string]>([
    ['a missing name', {}, '#/name', 'required'],
    ['a null name', { name: null }, '#/name', 'type'],
    ['a blank name', { name: ' ' }, '#/name', 'too-short'],
    ['a name of 201 characters', { name: 'a'.repeat(201) }, '#/name', 'too-long'],
    ['a number as expiresAt', { name: 'x', expiresAt: 1 }, '#/expiresAt', 'type'],
    ['an expiresAt without a time zone', { name: 'x', expiresAt: '2099-01-01T00:00:00' }, '#/expiresAt', 'format'],
    [
      'an expiresAt with the offset +01:00',
      { name: 'x', expiresAt: '2099-01-01T00:00:00+01:00' },
      '#/expiresAt',
      'format',
    ],
    [
      'an expiresAt on a day that does not exist',
      { name: 'x', expiresAt: '2099-02-29T00:00:00Z' },
      '#/expiresAt',
      'format',
    ],
    ['an expiresAt in the past', { name: 'x', expiresAt: '2026-01-01T00:00:00Z' }, '#/expiresAt', 'too-small'],
    ['a token', { name: 'x', token: 'x' }, '#/token', 'unknown-field'],
    ['an id', { name: 'x', id: 'x' }, '#/id', 'unknown-field'],
  ])('returns 400 invalid-request for %s', async (_, body, pointer, code) => {
    expectProblem(await create(body), { status: 400, code: 'invalid-request', errors: [{ pointer, code }] });
  });

  test('returns 400 invalid-request without a body', async () => {
    const response = await service.inject({ method: 'POST', url: path, headers: admin.headers });
    expectProblem(response, { status: 400, code: 'invalid-request', errors: [{ pointer: '#', code: 'required' }] });
  });

  test('returns 403 for an editor, without a session, and without the CSRF token', async () => {
    const editor = await service.signedIn('editor');
    expectProblem(await create({ name: 'x' }, editor.headers), { status: 403, code: 'permission-denied' });
    expectProblem(await create({ name: 'x' }, {}), { status: 403, code: 'not-authenticated' });
    expectProblem(await create({ name: 'x' }, { cookie: admin.cookie }), { status: 403, code: 'csrf-token-invalid' });
  });

  test('returns 403 not-authenticated for a provision token', async () => {
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

test('returns urls that begin with PUBLIC_BASE_URL, including its path', async () => {
  const behindProxy = await openTestApp({ publicBaseUrl: 'https://widgets.example/base' });
  const { headers } = await behindProxy.signedIn('admin');
  for (const { path, buildPath } of grantKinds.filter((kind) => kind.buildPath !== null)) {
    const response = await behindProxy.inject({ method: 'POST', url: path, headers, payload: { name: 'x' } });
    const { url, token } = response.json();
    expect(url).toBe(`https://widgets.example/base${buildPath?.(token)}`);
  }
  await behindProxy.close();
});
