import { UnavailableError } from '@widget-service/shared/domain/errors.ts';
import { mintToken, sha256Hex } from '@widget-service/shared/domain/token.ts';
import type { ProvisionToken } from '@widget-service/shared/entities/grant.ts';
import { describe, expect, test } from 'vitest';
import { aGrant } from '../../drivers/app/builders.ts';
import { expectProblem } from '../../drivers/app/expect-problem.ts';
import { openSharedApp } from '../../drivers/app/open-shared.ts';
import { openTestApp, type TestResponse } from '../../drivers/app/test-app.ts';
import { eventually } from '../../drivers/tools/eventually.ts';
import { createManualClock } from '../../drivers/tools/manual-clock.ts';

const clock = createManualClock();
const challenge = 'Bearer realm="widgets"';
const tokensPath = '/api/v1/provision-tokens';

const service = await openSharedApp({ clock });
const admin = await service.signedIn('admin');

const create = (headers: Readonly<Record<string, string>>, payload: object = { name: 'lamp' }) =>
  service.post('/api/v1/widgets', payload, headers);
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
const issue = async (payload: object = { name: 'script' }): Promise<{ id: string; token: string }> =>
  (await admin.post(tokensPath, payload)).json();
const show = async (id: string) => (await admin.get(`${tokensPath}/${id}`)).json();

/** Stores a token that the HTTP interface would not issue, such as an expired one. */
async function insert(overrides: Partial<ProvisionToken>): Promise<string> {
  const token = mintToken('wpt');
  await service.backend.provisionTokens.insert({
    ...aGrant({ token: { digest: sha256Hex(token), sealedSecret: null } }),
    permissions: ['widgets:create'],
    ...overrides,
  });
  return token;
}

function expectNotAuthenticated(response: TestResponse): void {
  expectProblem(response, { status: 403, code: 'not-authenticated' });
  expect(response.headers['www-authenticate']).toBe(challenge);
}

describe('POST /api/v1/widgets with a provision token', () => {
  test('returns 201 without a cookie or CSRF token, from any origin', async () => {
    const { token } = await issue();
    const response = await create({
      ...bearer(token),
      origin: 'https://elsewhere.example',
      'sec-fetch-site': 'cross-site',
    });
    expect(response.statusCode).toBe(201);
    expect(response.headers['www-authenticate']).toBeUndefined();
  });

  test.each(['bearer', 'BEARER', 'Bearer  '])('returns 201 when the scheme is written %j', async (scheme) => {
    const { token } = await issue();
    expect((await create({ authorization: `${scheme} ${token}` })).statusCode).toBe(201);
  });

  test('returns 201 whatever cookie the request carries', async () => {
    const { token } = await issue();
    const viewer = await service.signedIn('viewer');
    for (const cookie of [viewer.cookie, 'service_console=x', `${admin.cookie}; ${admin.cookie}`]) {
      expect((await create({ ...bearer(token), cookie })).statusCode).toBe(201);
    }
  });

  test('ignores another authorization scheme and uses the session cookie', async () => {
    for (const authorization of ['Basic dXNlcjpwYXNz', 'Bearerwpt_x', 'Digest Bearer x']) {
      expect((await create({ ...admin.headers, authorization })).statusCode).toBe(201);
    }
  });

  test('accepts the previous token until the overlap of a rotation ends', async () => {
    const { id, token: previousToken } = await issue();
    const url = `${tokensPath}/${id}/rotate`;
    const { token: newToken } = (await admin.post(url, { overlapSeconds: 10 })).json();
    expect((await create(bearer(previousToken))).statusCode).toBe(201);
    expect((await create(bearer(newToken))).statusCode).toBe(201);
    clock.advance(10_000);
    expectNotAuthenticated(await create(bearer(previousToken)));
    expect((await create(bearer(newToken))).statusCode).toBe(201);
  });

  test('keeps the idempotency keys of a provision token across its rotation', async () => {
    const { id, token } = await issue();
    const key = { 'idempotency-key': 'k' };
    const first = await create({ ...bearer(token), ...key });
    const { token: newToken } = (await admin.post(`${tokensPath}/${id}/rotate`)).json();
    const repeated = await create({ ...bearer(newToken), ...key });
    expect([repeated.statusCode, repeated.headers['idempotent-replayed'], repeated.body]).toEqual([
      201,
      'true',
      first.body,
    ]);

    const { token: otherToken } = await issue();
    const otherCallers: Readonly<Record<string, string>>[] = [bearer(otherToken), admin.headers];
    for (const headers of otherCallers) {
      const response = await create({ ...headers, ...key });
      expect(response.json().id).not.toBe(first.json().id);
    }
  });

  test('records lastUsedAt, and logs the id of the provision token but not the token', async () => {
    const { id, token } = await issue();
    const usedAt = clock.now().toISOString();
    const response = await create(bearer(token));
    await eventually(async () => (await show(id)).lastUsedAt === usedAt, 'lastUsedAt is recorded');
    const line = service.logLines.find((logLine) => logLine.includes(String(response.headers['x-request-id']))) ?? '';
    expect(JSON.parse(line)).toMatchObject({ status: 201, provisionTokenId: id });
    expect(service.logLines.join('')).not.toContain(token);
  });
});

describe('POST /api/v1/widgets with an invalid provision token', () => {
  const cases: [string, () => Promise<string> | string][] = [
    ['unknown', () => mintToken('wpt')],
    ['malformed', () => 'wpt_x'],
    ['mistyped', async () => (await issue()).token.replace(/.$/, (last) => (last === '0' ? '1' : '0'))],
    ['empty', () => ''],
    ['followed by more text', async () => `${(await issue()).token} x`],
    ['a stream token', async () => (await service.issueStreamToken()).token],
    ['a hook token', async () => (await service.issueHookToken()).token],
    ['a session id', () => admin.sessionId],
    ['expired', () => insert({ expiresAt: clock.now() })],
    [
      'revoked',
      async () => {
        const { id, token } = await issue();
        await admin.delete(`${tokensPath}/${id}`);
        return token;
      },
    ],
  ];

  test.each(cases)('returns 403 when the token is %s, even with a valid cookie', async (_, makeToken) => {
    const token = await makeToken();
    const responses = [await create(bearer(token)), await create({ ...admin.headers, ...bearer(token) })];
    for (const response of responses) expectNotAuthenticated(response);
    if (token !== '') expect(responses.map(({ body }) => body).join('')).not.toContain(token);
  });

  test('returns equal problems for all of them', async () => {
    const details = new Set<string>();
    for (const [, makeToken] of cases) {
      const { detail, title } = (await create(bearer(await makeToken()))).json();
      details.add(`${title} ${detail}`);
    }
    expect(details.size).toBe(1);
  });

  test('returns 403 with a challenge without a credential, or with one of another scheme', async () => {
    expectNotAuthenticated(await create({}));
    expectNotAuthenticated(await create({ authorization: 'Basic dXNlcjpwYXNz' }));
    expectNotAuthenticated(await create({ cookie: 'service_console=x' }));
  });

  test('returns 403 before it reads the body', async () => {
    const response = await service.post('/api/v1/widgets', '{broken', {
      ...bearer(mintToken('wpt')),
      'content-type': 'application/json',
    });
    expectNotAuthenticated(response);
  });
});

describe('POST /api/v1/widgets with a provision token: permission, store and limit', () => {
  test('returns 403 permission-denied without a challenge for a token without the permission', async () => {
    const response = await create(bearer(await insert({ permissions: [] })));
    expectProblem(response, { status: 403, code: 'permission-denied' });
    expect(response.headers['www-authenticate']).toBeUndefined();
  });

  test('returns 503 while the store of provision tokens is unavailable', async () => {
    const withoutStore = await openTestApp({
      replace: () => ({
        provisionTokens: { find: () => Promise.reject(new UnavailableError('unavailable in this test')) } as never,
      }),
    });
    const headers = bearer(mintToken('wpt'));
    const response = await withoutStore.post('/api/v1/widgets', { name: 'lamp' }, headers);
    expectProblem(response, { status: 503, code: 'unavailable' });
    expect(response.headers['www-authenticate']).toBeUndefined();
    await withoutStore.close();
  });

  test('limits each provision token on its own, and keeps the count across a rotation', async () => {
    const limited = await openTestApp({ limits: { api: { ratePerSecond: 0.001, burst: 1 } } });
    // The limit counts each caller on its own, so every change is made by another admin.
    const post = async (url: string, payload?: object) =>
      (await (await limited.signedIn('admin')).post(url, payload)).json();
    const [first, other] = [await post(tokensPath, { name: 'x' }), await post(tokensPath, { name: 'x' })];
    const createStatus = async (token: string) =>
      (await limited.post('/api/v1/widgets', { name: 'lamp' }, bearer(token))).statusCode;
    expect([await createStatus(first.token), await createStatus(other.token)]).toEqual([201, 201]);
    const { token: newToken } = await post(`${tokensPath}/${first.id}/rotate`);
    const statuses = [await createStatus(first.token), await createStatus(newToken), await createStatus(other.token)];
    expect(statuses).toEqual([429, 429, 429]);
    await limited.close();
  });
});

describe('operations other than POST /api/v1/widgets', () => {
  test.each(['/api/v1/widgets', '/api/v1/session', tokensPath])('ignore a Bearer token: GET %s', async (url) => {
    const { token } = await issue();
    const withTokenOnly = await service.get(url, bearer(token));
    expectProblem(withTokenOnly, { status: 403, code: 'not-authenticated' });
    expect(withTokenOnly.headers['www-authenticate']).toBeUndefined();
    const withCookie = await service.get(url, { cookie: admin.cookie, ...bearer('wrong') });
    expect(withCookie.statusCode).toBe(200);
  });
});
