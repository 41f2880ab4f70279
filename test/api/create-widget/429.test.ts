import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { expectProblem } from '../../drivers/app/expect-problem.ts';
import { expectRateLimit, expectSeconds } from '../../drivers/app/expect-rate-limit.ts';
import { openTestApp, type TestApp } from '../../drivers/app/test-app.ts';

/** A permit returns after 100 s, so none returns while a test runs. */
const api = { ratePerSecond: 0.01, burst: 2 };
let service: TestApp;
beforeAll(async () => {
  service = await openTestApp({ limits: { api } });
});
afterAll(() => service.close());

const create = (headers: Readonly<Record<string, string>>, payload: object | string = { name: 'lamp' }) =>
  service.inject({ method: 'POST', url: '/api/v1/widgets', headers, payload });

describe('POST /api/v1/widgets: rate limit', () => {
  test('returns the remaining permits with every response, and 429 without creating a widget beyond the limit', async () => {
    const { headers } = await service.signedIn('editor');
    const created = await create(headers);
    expect(created.statusCode).toBe(201);
    expect(created.headers['ratelimit-policy']).toBe('"api";q=2;w=200');
    expectRateLimit(created, { name: 'api', remaining: 1, resetSeconds: 100 });
    const invalid = await create(headers, { name: '' });
    expectProblem(invalid, { status: 400, code: 'invalid-request' });
    expectRateLimit(invalid, { name: 'api', remaining: 0, resetSeconds: 200 });

    const name = `not created ${randomUUID()}`;
    const limited = await create({ ...headers, 'idempotency-key': name }, { name });
    expectProblem(limited, { status: 429, code: 'rate-limited' });
    expectRateLimit(limited, { name: 'api', remaining: 0, resetSeconds: 200 });
    expectSeconds(limited.headers['retry-after'], 100);
    const reader = await service.signedIn('viewer');
    const page = await service.inject({ method: 'GET', url: '/api/v1/widgets', headers: reader.headers });
    expect(page.body).not.toContain(name);
  });

  test('checks the limit after permission and CSRF token, and before it reads the body', async () => {
    const { headers, cookie } = await service.signedIn('editor');
    await create(headers);
    await create(headers);
    expectProblem(await create(headers, 'x'.repeat(100_000)), { status: 429, code: 'rate-limited' });
    expectProblem(await create({ cookie }), { status: 403, code: 'csrf-token-invalid' });
    const viewer = await service.signedIn('viewer');
    for (let index = 0; index < 3; index += 1) {
      expectProblem(await create(viewer.headers), { status: 403, code: 'permission-denied' });
    }
  });
});
