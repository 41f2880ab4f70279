import { isWellFormedToken, sha256Hex } from '@widget-service/shared/domain/token.ts';
import { describe, expect, test } from 'vitest';
import { grantKinds } from '../../drivers/app/grant-kinds.ts';
import { openSharedApp } from '../../drivers/app/open-shared.ts';
import { openTestApp } from '../../drivers/app/test-app.ts';

const service = await openSharedApp();
const admin = await service.signedIn('admin');

describe.each(grantKinds)('POST $path', ({ path, prefix, buildPath, selectStore, defaults, changes }) => {
  const create = (payload: object, headers: Readonly<Record<string, string>> = admin.headers) =>
    service.post(path, payload, { host: 'widgets.example:8080', ...headers });

  test('returns 201 with defaults for a name alone', async () => {
    const response = await create({ name: '  mine ' });
    expect(response.statusCode).toBe(201);
    const { id, token, createdAt, tokenIssuedAt, ...rest } = response.json();
    expect(rest).toEqual({
      name: 'mine',
      ...defaults,
      expiresAt: null,
      previousExpiresAt: null,
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
    const read = await admin.get(url);
    expect(read.json()).toEqual({
      ...defaults,
      ...changes,
      id: response.json().id,
      createdAt: response.json().createdAt,
      createdBy: admin.userId,
      tokenIssuedAt: response.json().createdAt,
      previousExpiresAt: null,
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
});

test('returns urls that begin with PUBLIC_BASE_URL, including its path', async () => {
  const behindProxy = await openTestApp({ PUBLIC_BASE_URL: 'https://widgets.example/base' });
  const { headers } = await behindProxy.signedIn('admin');
  for (const { path, buildPath } of grantKinds.filter((kind) => kind.buildPath !== null)) {
    const response = await behindProxy.post(path, { name: 'x' }, headers);
    const { url, token } = response.json();
    expect(url).toBe(`https://widgets.example/base${buildPath?.(token)}`);
  }
  await behindProxy.close();
});
