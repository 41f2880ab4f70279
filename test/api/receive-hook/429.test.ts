import { mintToken } from '@widget-service/shared/domain/token.ts';
import { describe, expect, test } from 'vitest';
import { expectProblem } from '../../drivers/app/expect-problem.ts';
import { expectRateLimit, expectSeconds } from '../../drivers/app/expect-rate-limit.ts';
import { issueIntegration } from '../../drivers/app/issue-grants.ts';
import { openSharedApp } from '../../drivers/app/open-shared.ts';

/** A permit returns after 100 s, so none returns while a test runs. */
const hooks = { ratePerSecond: 0.01, burst: 3 };
const service = await openSharedApp({ limits: { hooks } });

const hook = { kind: 'updated', occurredAt: '2026-03-01T10:00:00Z' };
const send = (token: string, payload: object | string = hook) => service.post(`/api/v1/events/hooks/${token}`, payload);

describe('POST /api/v1/events/hooks/{token}: rate limit', () => {
  test('returns 429 with RateLimit and Retry-After beyond the burst of a token, and 202 for another token', async () => {
    const { token } = await service.issueHookToken();
    for (let index = 0; index < 3; index += 1) {
      const accepted = await send(token);
      expect(accepted.statusCode).toBe(202);
      expect(accepted.headers.ratelimit).toBeUndefined();
    }
    for (let times = 0; times < 3; times += 1) {
      const limited = await send(token);
      expectProblem(limited, { status: 429, code: 'rate-limited' });
      expect(limited.headers['ratelimit-policy']).toBe('"hooks";q=3;w=300');
      expectRateLimit(limited, { name: 'hooks', remaining: 0, resetSeconds: 300 });
      expectSeconds(limited.headers['retry-after'], 100);
      expect(limited.body).not.toContain(token);
    }
    expect((await send((await service.issueHookToken()).token)).statusCode).toBe(202);
  });

  test('accepts exactly the burst of many simultaneous hooks', async () => {
    const { token } = await service.issueHookToken();
    const responses = await Promise.all(Array.from({ length: 30 }, () => send(token)));
    expect(responses.filter(({ statusCode }) => statusCode === 202)).toHaveLength(3);
    expect(responses.filter(({ statusCode }) => statusCode === 429)).toHaveLength(27);
  });

  test('checks the limit after the token and before it reads the body', async () => {
    const { token } = await service.issueHookToken();
    for (let index = 0; index < 3; index += 1)
      expectProblem(await send(token, {}), { status: 400, code: 'invalid-request' });
    expectProblem(await send(token, 'x'.repeat(100_000)), { status: 429, code: 'rate-limited' });
    for (let index = 0; index < 5; index += 1) {
      expectProblem(await send(mintToken('wht')), { status: 400, code: 'invalid-hook-token' });
    }
  });

  test('uses the rate of the integration instead of the default, with a burst of five seconds of that rate', async () => {
    const { token } = await issueIntegration(service.backend, { rate: 2 });
    const startedAtMs = performance.now();
    const responses = await Promise.all(Array.from({ length: 30 }, () => send(token)));
    const elapsedSeconds = (performance.now() - startedAtMs) / 1_000;
    const accepted = responses.filter(({ statusCode }) => statusCode === 202);
    expect(accepted.length).toBeGreaterThanOrEqual(10);
    expect(accepted.length).toBeLessThanOrEqual(10 + Math.floor(2 * elapsedSeconds + 0.1));
    const limited = responses.find(({ statusCode }) => statusCode === 429);
    expect(limited?.headers['ratelimit-policy']).toBe('"hooks";q=10;w=5');
    expect(limited?.headers['retry-after']).toBe('1');
  });
});
