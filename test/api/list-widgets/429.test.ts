import { UnavailableError } from '@widget-service/shared/domain/errors.ts';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { expectProblem } from '../../drivers/expect-problem.ts';
import { expectRateLimit, expectSeconds } from '../../drivers/expect-rate-limit.ts';
import { openTestApp, type TestApp } from '../../drivers/test-app.ts';

/** A permit comes back after 100 s: none does while a test runs. */
const api = { ratePerSecond: 0.01, burst: 3 };
let service: TestApp;
beforeAll(async () => {
  service = await openTestApp({ limits: { api } });
});
afterAll(() => service.close());

const list = (headers: Readonly<Record<string, string>>, method: 'GET' | 'HEAD' = 'GET', query = '') =>
  service.inject({ method, url: `/api/v1/widgets${query}`, headers });

test('every answer tells what is left, and the one too many when to come again', async () => {
  const { headers } = await service.signedIn('viewer');
  for (const [index, remaining] of [2, 1, 0].entries()) {
    const response = await list(headers);
    expect(response.statusCode).toBe(200);
    expect(response.headers['ratelimit-policy']).toBe('"api";q=3;w=300');
    expectRateLimit(response, { name: 'api', remaining, resetSeconds: 100 * (index + 1) });
    expect(response.headers['retry-after']).toBeUndefined();
  }
  const refused = await list(headers);
  expectProblem(refused, { status: 429, code: 'rate-limited' });
  expect(refused.headers['ratelimit-policy']).toBe('"api";q=3;w=300');
  expectRateLimit(refused, { name: 'api', remaining: 0, resetSeconds: 300 });
  expectSeconds(refused.headers['retry-after'], 100);
});

test('answers that are no success count and tell it too, HEAD as well', async () => {
  const { headers } = await service.signedIn('viewer');
  const invalid = await list(headers, 'GET', '?page=0');
  expectProblem(invalid, { status: 400, code: 'invalid-request' });
  expectRateLimit(invalid, { name: 'api', remaining: 2, resetSeconds: 100 });
  expectRateLimit(await list(headers, 'HEAD'), { name: 'api', remaining: 1, resetSeconds: 200 });
});

test('the limit is checked before the query, and after the credential', async () => {
  const { headers } = await service.signedIn('viewer');
  for (let index = 0; index < 3; index += 1) await list(headers);
  expectProblem(await list(headers, 'GET', '?page=0'), { status: 429, code: 'rate-limited' });
  const anonymous = await list({});
  expectProblem(anonymous, { status: 403, code: 'not-authenticated' });
  expect(anonymous.headers.ratelimit).toBeUndefined();
});

test('it is one limit for a user’s sessions, reads and creates, and another user’s is another', async () => {
  const editor = await service.signedIn('editor');
  const created = await service.inject({
    method: 'POST',
    url: '/api/v1/widgets',
    headers: editor.headers,
    payload: { name: 'lamp' },
  });
  expectRateLimit(created, { name: 'api', remaining: 2, resetSeconds: 100 });
  const one = await service.inject({
    method: 'GET',
    url: `/api/v1/widgets/${created.json().id}`,
    headers: editor.headers,
  });
  expect(one.statusCode).toBe(200);
  expectRateLimit(one, { name: 'api', remaining: 1, resetSeconds: 200 });
  expectRateLimit(await list(editor.headers), { name: 'api', remaining: 0, resetSeconds: 300 });
  expectProblem(await list(editor.headers), { status: 429, code: 'rate-limited' });
  expect((await list((await service.signedIn('viewer')).headers)).statusCode).toBe(200);
});

test('of many at once exactly the burst is let through', async () => {
  const { headers } = await service.signedIn('viewer');
  const answers = await Promise.all(Array.from({ length: 20 }, () => list(headers)));
  expect(answers.filter(({ statusCode }) => statusCode === 200)).toHaveLength(3);
  expect(answers.filter(({ statusCode }) => statusCode === 429)).toHaveLength(17);
});

test('other operations are not counted', async () => {
  const { headers } = await service.signedIn('viewer');
  const session = await service.inject({ method: 'GET', url: '/api/v1/session', headers });
  expect(session.headers.ratelimit).toBeUndefined();
  expectRateLimit(await list(headers), { name: 'api', remaining: 2, resetSeconds: 100 });
});

describe('without limits', () => {
  test('no header speaks of one', async () => {
    const unlimited = await openTestApp();
    const { headers } = await unlimited.signedIn('viewer');
    const response = await unlimited.inject({ method: 'GET', url: '/api/v1/widgets', headers });
    expect(response.statusCode).toBe(200);
    expect(Object.keys(response.headers).filter((name) => name.startsWith('ratelimit'))).toEqual([]);
    await unlimited.close();
  });
});

describe.runIf(inject('backend') === 'cluster')('with the shared limiter away', () => {
  test('the pod limits by itself', async () => {
    const away = await openTestApp({
      limits: { api },
      replace: () => ({
        rateLimiter: {
          take: () => Promise.reject(new UnavailableError('redis is away')),
          giveBack: () => Promise.reject(new UnavailableError('redis is away')),
        },
      }),
    });
    const { headers } = await away.signedIn('viewer');
    const statuses: number[] = [];
    for (let index = 0; index < 4; index += 1) {
      statuses.push((await away.inject({ method: 'GET', url: '/api/v1/widgets', headers })).statusCode);
    }
    expect(statuses).toEqual([200, 200, 200, 429]);
    await away.close();
  });
});
