import { UnavailableError } from '@widget-service/shared/domain/errors.ts';
import { mintToken, sha256Hex } from '@widget-service/shared/domain/token.ts';
import { createUuidV7 } from '@widget-service/shared/domain/uuid.ts';
import type { ProvisionToken } from '@widget-service/shared/ports/grant-store.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createDrivenClock } from '../../drivers/driven-clock.ts';
import { eventually } from '../../drivers/eventually.ts';
import { expectProblem } from '../../drivers/expect-problem.ts';
import { openTestApp, type TestApp, type TestCaller, type TestResponse } from '../../drivers/test-app.ts';

const clock = createDrivenClock();
const challenge = 'Bearer realm="widgets"';
const tokensPath = '/api/v1/provision-tokens';

let service: TestApp;
let admin: TestCaller;
beforeAll(async () => {
  service = await openTestApp({ clock });
  admin = await service.signedIn('admin');
});
afterAll(() => service.close());

const create = (headers: Readonly<Record<string, string>>, payload: object = { name: 'lamp' }) =>
  service.inject({ method: 'POST', url: '/api/v1/widgets', headers, payload });
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
const issue = async (payload: object = { name: 'script' }): Promise<{ id: string; token: string }> =>
  (await service.inject({ method: 'POST', url: tokensPath, headers: admin.headers, payload })).json();
const show = async (id: string) =>
  (await service.inject({ method: 'GET', url: `${tokensPath}/${id}`, headers: { cookie: admin.cookie } })).json();

/** A token in the store as the service itself would not make it. */
async function insert(overrides: Partial<ProvisionToken>): Promise<string> {
  const token = mintToken('wpt');
  await service.backend.provisionTokens.insert({
    ...{ id: createUuidV7(), name: 'script', token: { digest: sha256Hex(token), sealedSecret: null } },
    ...{ previousToken: null, expiresAt: null, createdAt: clock.now(), lastUsedAt: null },
    permissions: ['widgets:create'],
    ...overrides,
  });
  return token;
}

function expectNotAuthenticated(response: TestResponse): void {
  expectProblem(response, { status: 403, code: 'not-authenticated' });
  expect(response.headers['www-authenticate']).toBe(challenge);
}

describe('201', () => {
  test('with a provision token alone: no cookie, no CSRF token, from any origin', async () => {
    const { token } = await issue();
    const response = await create({
      ...bearer(token),
      origin: 'https://elsewhere.example',
      'sec-fetch-site': 'cross-site',
    });
    expect(response.statusCode).toBe(201);
    expect(response.headers['www-authenticate']).toBeUndefined();
  });

  test.each(['bearer', 'BEARER', 'Bearer  '])('with the scheme written %j', async (scheme) => {
    const { token } = await issue();
    expect((await create({ authorization: `${scheme} ${token}` })).statusCode).toBe(201);
  });

  test('whatever the cookie beside it is', async () => {
    const { token } = await issue();
    const viewer = await service.signedIn('viewer');
    for (const cookie of [viewer.cookie, 'service_console=x', `${admin.cookie}; ${admin.cookie}`]) {
      expect((await create({ ...bearer(token), cookie })).statusCode).toBe(201);
    }
  });

  test('another scheme is ignored, and the cookie decides', async () => {
    for (const authorization of ['Basic dXNlcjpwYXNz', 'Bearerwpt_x', 'Digest Bearer x']) {
      expect((await create({ ...admin.headers, authorization })).statusCode).toBe(201);
    }
  });

  test('by the old and the new token, until the overlap is over', async () => {
    const { id, token: old } = await issue();
    const url = `${tokensPath}/${id}/rotate`;
    const rotation = { method: 'POST', url, headers: admin.headers, payload: { overlapSeconds: 10 } } as const;
    const { token: fresh } = (await service.inject(rotation)).json();
    expect((await create(bearer(old))).statusCode).toBe(201);
    expect((await create(bearer(fresh))).statusCode).toBe(201);
    clock.advance(10_000);
    expectNotAuthenticated(await create(bearer(old)));
    expect((await create(bearer(fresh))).statusCode).toBe(201);
  });

  test('idempotency keys belong to the provision token, not to its secret', async () => {
    const { id, token } = await issue();
    const key = { 'idempotency-key': 'k' };
    const first = await create({ ...bearer(token), ...key });
    const { token: fresh } = (
      await service.inject({ method: 'POST', url: `${tokensPath}/${id}/rotate`, headers: admin.headers })
    ).json();
    const again = await create({ ...bearer(fresh), ...key });
    expect([again.statusCode, again.headers['idempotent-replayed'], again.body]).toEqual([201, 'true', first.body]);

    const { token: other } = await issue();
    const callers: Readonly<Record<string, string>>[] = [bearer(other), admin.headers];
    for (const headers of callers) {
      const theirs = await create({ ...headers, ...key });
      expect(theirs.json().id).not.toBe(first.json().id);
    }
  });

  test('the last use is noted to the minute, and the log names the token by its id', async () => {
    const { id, token } = await issue();
    const at = clock.now().toISOString();
    const response = await create(bearer(token));
    await eventually(async () => (await show(id)).lastUsedAt === at, 'the use is noted');
    const line = service.logLines.find((each) => each.includes(String(response.headers['x-request-id']))) ?? '';
    expect(JSON.parse(line)).toMatchObject({ status: 201, provisionTokenId: id });
    expect(service.logLines.join('')).not.toContain(token);
  });
});

describe('403 not-authenticated', () => {
  const cases: [string, () => Promise<string> | string][] = [
    ['unknown', () => mintToken('wpt')],
    ['malformed', () => 'wpt_x'],
    ['of a broken checksum', async () => (await issue()).token.replace(/.$/, (last) => (last === '0' ? '1' : '0'))],
    ['empty', () => ''],
    ['followed by more', async () => `${(await issue()).token} x`],
    ['of a stream', async () => (await service.issueStreamToken()).token],
    ['of hooks', async () => (await service.issueHookToken()).token],
    ['of a session', () => admin.sessionId],
    ['expired', () => insert({ expiresAt: clock.now() })],
    [
      'revoked',
      async () => {
        const { id, token } = await issue();
        await service.inject({ method: 'DELETE', url: `${tokensPath}/${id}`, headers: admin.headers });
        return token;
      },
    ],
  ];

  test.each(cases)('a token that is %s, with a good cookie beside it and without', async (_, tokenOf) => {
    const token = await tokenOf();
    const responses = [await create(bearer(token)), await create({ ...admin.headers, ...bearer(token) })];
    for (const response of responses) expectNotAuthenticated(response);
    if (token !== '') expect(responses.map(({ body }) => body).join('')).not.toContain(token);
  });

  test('all of them alike', async () => {
    const details = new Set<string>();
    for (const [, tokenOf] of cases) {
      const { detail, title } = (await create(bearer(await tokenOf()))).json();
      details.add(`${title} ${detail}`);
    }
    expect(details.size).toBe(1);
  });

  test('no credential at all, or only one of another scheme', async () => {
    expectNotAuthenticated(await create({}));
    expectNotAuthenticated(await create({ authorization: 'Basic dXNlcjpwYXNz' }));
    expectNotAuthenticated(await create({ cookie: 'service_console=x' }));
  });

  test('before the body is looked at', async () => {
    const response = await service.inject({
      method: 'POST',
      url: '/api/v1/widgets',
      headers: { ...bearer(mintToken('wpt')), 'content-type': 'application/json' },
      payload: '{broken',
    });
    expectNotAuthenticated(response);
  });
});

test('403 permission-denied: a token that may not create, and without a challenge', async () => {
  const response = await create(bearer(await insert({ permissions: [] })));
  expectProblem(response, { status: 403, code: 'permission-denied' });
  expect(response.headers['www-authenticate']).toBeUndefined();
});

test('503: a token that cannot be looked up is not called wrong', async () => {
  const away = await openTestApp({
    replace: () => ({
      provisionTokens: { findByTokenDigest: () => Promise.reject(new UnavailableError('away for this test')) } as never,
    }),
  });
  const headers = bearer(mintToken('wpt'));
  const response = await away.inject({ method: 'POST', url: '/api/v1/widgets', headers, payload: { name: 'lamp' } });
  expectProblem(response, { status: 503, code: 'unavailable' });
  expect(response.headers['www-authenticate']).toBeUndefined();
  await away.close();
});

test('429: each provision token has a limit of its own, whatever its secret is', async () => {
  const limited = await openTestApp({ limits: { api: { ratePerSecond: 0.001, burst: 1 } } });
  const { headers } = await limited.signedIn('admin');
  const manage = async (url: string) =>
    (await limited.inject({ method: 'POST', url, headers, payload: { name: 'x' } })).json();
  const [one, other] = [await manage(tokensPath), await manage(tokensPath)];
  const createBy = async (token: string) => {
    const payload = { name: 'lamp' };
    const request = { method: 'POST', url: '/api/v1/widgets', headers: bearer(token), payload } as const;
    return (await limited.inject(request)).statusCode;
  };
  expect([await createBy(one.token), await createBy(other.token)]).toEqual([201, 201]);
  const rotate = `${tokensPath}/${one.id}/rotate`;
  const { token: fresh } = (await limited.inject({ method: 'POST', url: rotate, headers })).json();
  expect([await createBy(one.token), await createBy(fresh), await createBy(other.token)]).toEqual([429, 429, 429]);
  await limited.close();
});

describe('every other operation ignores a Bearer token', () => {
  test.each(['/api/v1/widgets', '/api/v1/session', tokensPath])('GET %s', async (url) => {
    const { token } = await issue();
    const alone = await service.inject({ method: 'GET', url, headers: bearer(token) });
    expectProblem(alone, { status: 403, code: 'not-authenticated' });
    expect(alone.headers['www-authenticate']).toBeUndefined();
    const beside = await service.inject({ method: 'GET', url, headers: { cookie: admin.cookie, ...bearer('wrong') } });
    expect(beside.statusCode).toBe(200);
  });
});
