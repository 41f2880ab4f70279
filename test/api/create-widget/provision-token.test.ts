import { UnavailableError } from '@widget-service/shared/domain/errors.ts';
import { mintToken } from '@widget-service/shared/domain/token.ts';
import { describe, expect, test } from 'vitest';
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

  test('returns 201 whatever cookie the request carries', async () => {
    const { token } = await issue();
    const viewer = await service.signedIn('viewer');
    for (const cookie of [viewer.cookie, 'service_console=x', `${admin.cookie}; ${admin.cookie}`]) {
      expect((await create({ ...bearer(token), cookie })).statusCode).toBe(201);
    }
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
  // Other invalid tokens get the same answer: `test/api/grants/tokens.test.ts`.
  const cases: [string, () => Promise<string> | string][] = [
    ['unknown', () => mintToken('wpt')],
    ['empty', () => ''],
    ['followed by more text', async () => `${(await issue()).token} x`],
    ['a hook token', async () => (await service.issueHookToken()).token],
    ['a session id', () => admin.sessionId],
  ];

  test.each(cases)('returns 403 when the token is %s, even with a valid cookie', async (_, makeToken) => {
    const token = await makeToken();
    const responses = [await create(bearer(token)), await create({ ...admin.headers, ...bearer(token) })];
    for (const response of responses) expectNotAuthenticated(response);
    if (token !== '') expect(responses.map(({ body }) => body).join('')).not.toContain(token);
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

describe('POST /api/v1/widgets with a provision token: store and limit', () => {
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

test.each(['/api/v1/widgets', '/api/v1/session', tokensPath])('GET %s ignores a Bearer token', async (url) => {
  expect((await service.get(url, { cookie: admin.cookie, ...bearer('wrong') })).statusCode).toBe(200);
});
