import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { expectProblem } from '../../drivers/expect-problem.ts';
import { expectRateLimit, expectSeconds } from '../../drivers/expect-rate-limit.ts';
import { openTestApp, type TestApp } from '../../drivers/test-app.ts';

/** A permit comes back after 100 s: none does while a test runs. */
const api = { ratePerSecond: 0.01, burst: 2 };
let service: TestApp;
beforeAll(async () => {
  service = await openTestApp({ limits: { api } });
});
afterAll(() => service.close());

const create = (headers: Readonly<Record<string, string>>, payload: object | string = { name: 'lamp' }) =>
  service.inject({ method: 'POST', url: '/api/v1/widgets', headers, payload });

test('every answer tells what is left, and the one too many creates nothing', async () => {
  const { headers } = await service.signedIn('editor');
  const created = await create(headers);
  expect(created.statusCode).toBe(201);
  expect(created.headers['ratelimit-policy']).toBe('"api";q=2;w=200');
  expectRateLimit(created, { name: 'api', remaining: 1, resetSeconds: 100 });
  const invalid = await create(headers, { name: '' });
  expectProblem(invalid, { status: 400, code: 'invalid-request' });
  expectRateLimit(invalid, { name: 'api', remaining: 0, resetSeconds: 200 });

  const name = `never made ${randomUUID()}`;
  const refused = await create({ ...headers, 'idempotency-key': name }, { name });
  expectProblem(refused, { status: 429, code: 'rate-limited' });
  expectRateLimit(refused, { name: 'api', remaining: 0, resetSeconds: 200 });
  expectSeconds(refused.headers['retry-after'], 100);
  const reader = await service.signedIn('viewer');
  const page = await service.inject({ method: 'GET', url: '/api/v1/widgets', headers: reader.headers });
  expect(page.body).not.toContain(name);
});

test('it is checked before the body is read, and after permission and CSRF token', async () => {
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
