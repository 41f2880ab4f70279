import { mintToken, sha256Hex } from '@widget-service/shared/domain/token.ts';
import { createUuidV7 } from '@widget-service/shared/domain/uuid.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { expectProblem } from '../../drivers/expect-problem.ts';
import { expectRateLimit, expectSeconds } from '../../drivers/expect-rate-limit.ts';
import { openTestApp, type TestApp } from '../../drivers/test-app.ts';

/** A permit comes back after 100 s: none does while a test runs. */
const hooks = { ratePerSecond: 0.01, burst: 3 };
let service: TestApp;
beforeAll(async () => {
  service = await openTestApp({ limits: { hooks } });
});
afterAll(() => service.close());

const hook = { kind: 'updated', occurredAt: '2026-03-01T10:00:00Z' };
const send = (token: string, payload: object | string = hook) =>
  service.inject({ method: 'POST', url: `/api/v1/events/hooks/${token}`, payload });

test('beyond the burst of its token a hook is refused, and told when to come again', async () => {
  const { token } = await service.issueHookToken();
  for (let index = 0; index < 3; index += 1) {
    const accepted = await send(token);
    expect(accepted.statusCode).toBe(202);
    expect(accepted.headers.ratelimit).toBeUndefined();
  }
  for (let times = 0; times < 3; times += 1) {
    const refused = await send(token);
    expectProblem(refused, { status: 429, code: 'rate-limited' });
    expect(refused.headers['ratelimit-policy']).toBe('"hooks";q=3;w=300');
    expectRateLimit(refused, { name: 'hooks', remaining: 0, resetSeconds: 300 });
    expectSeconds(refused.headers['retry-after'], 100);
    expect(refused.body).not.toContain(token);
  }
  expect((await send((await service.issueHookToken()).token)).statusCode).toBe(202);
});

test('of many at once exactly the burst is accepted', async () => {
  const { token } = await service.issueHookToken();
  const answers = await Promise.all(Array.from({ length: 30 }, () => send(token)));
  expect(answers.filter(({ statusCode }) => statusCode === 202)).toHaveLength(3);
  expect(answers.filter(({ statusCode }) => statusCode === 429)).toHaveLength(27);
});

test('it is checked after the token, and before the body is read', async () => {
  const { token } = await service.issueHookToken();
  for (let index = 0; index < 3; index += 1)
    expectProblem(await send(token, {}), { status: 400, code: 'invalid-request' });
  expectProblem(await send(token, 'x'.repeat(100_000)), { status: 429, code: 'rate-limited' });
  for (let index = 0; index < 5; index += 1) {
    expectProblem(await send(mintToken('wht')), { status: 400, code: 'invalid-hook-token' });
  }
});

test('an integration’s own rate comes first, with five seconds of it at once', async () => {
  const token = mintToken('wht');
  await service.backend.integrations.insert({
    id: createUuidV7(),
    name: 'fast',
    deduplicateByContent: true,
    rate: 2,
    token: { digest: sha256Hex(token), sealedSecret: null },
    previousToken: null,
    expiresAt: null,
    createdAt: new Date(),
    lastUsedAt: null,
  });
  const startedAtMs = performance.now();
  const answers = await Promise.all(Array.from({ length: 30 }, () => send(token)));
  const elapsedSeconds = (performance.now() - startedAtMs) / 1_000;
  const accepted = answers.filter(({ statusCode }) => statusCode === 202);
  expect(accepted.length).toBeGreaterThanOrEqual(10);
  expect(accepted.length).toBeLessThanOrEqual(10 + Math.floor(2 * elapsedSeconds + 0.1));
  const refused = answers.find(({ statusCode }) => statusCode === 429);
  expect(refused?.headers['ratelimit-policy']).toBe('"hooks";q=10;w=5');
  expect(refused?.headers['retry-after']).toBe('1');
});
