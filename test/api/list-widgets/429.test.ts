import { describe, expect, test } from 'vitest';
import { expectProblem } from '../../drivers/app/expect-problem.ts';
import { expectRateLimit, expectSeconds } from '../../drivers/app/expect-rate-limit.ts';
import { openSharedApp } from '../../drivers/app/open-shared.ts';
import { openTestApp } from '../../drivers/app/test-app.ts';

/** A permit returns after 100 s, so none returns while a test runs. */
const api = { ratePerSecond: 0.01, burst: 3 };
const service = await openSharedApp({ limits: { api } });

const list = (headers: Readonly<Record<string, string>>, method: 'GET' | 'HEAD' = 'GET', query = '') =>
  service.inject({ method, url: `/api/v1/widgets${query}`, headers });

describe('GET /api/v1/widgets: rate limit', () => {
  test('returns the remaining permits with every response, and 429 with Retry-After beyond the limit', async () => {
    const { headers } = await service.signedIn('viewer');
    for (const [index, remaining] of [2, 1, 0].entries()) {
      const response = await list(headers);
      expect(response.statusCode).toBe(200);
      expect(response.headers['ratelimit-policy']).toBe('"api";q=3;w=300');
      expectRateLimit(response, { name: 'api', remaining, resetSeconds: 100 * (index + 1) });
      expect(response.headers['retry-after']).toBeUndefined();
    }
    const limited = await list(headers);
    expectProblem(limited, { status: 429, code: 'rate-limited' });
    expect(limited.headers['ratelimit-policy']).toBe('"api";q=3;w=300');
    expectRateLimit(limited, { name: 'api', remaining: 0, resetSeconds: 300 });
    expectSeconds(limited.headers['retry-after'], 100);
  });

  test('counts a 400 and a HEAD request, and returns RateLimit with both', async () => {
    const { headers } = await service.signedIn('viewer');
    const invalid = await list(headers, 'GET', '?page=0');
    expectProblem(invalid, { status: 400, code: 'invalid-request' });
    expectRateLimit(invalid, { name: 'api', remaining: 2, resetSeconds: 100 });
    expectRateLimit(await list(headers, 'HEAD'), { name: 'api', remaining: 1, resetSeconds: 200 });
  });

  test('checks the limit after the credential and before the query', async () => {
    const { headers } = await service.signedIn('viewer');
    for (let index = 0; index < 3; index += 1) await list(headers);
    expectProblem(await list(headers, 'GET', '?page=0'), { status: 429, code: 'rate-limited' });
    const anonymous = await list({});
    expectProblem(anonymous, { status: 403, code: 'not-authenticated' });
    expect(anonymous.headers.ratelimit).toBeUndefined();
  });
});

describe('GET /api/v1/widgets without a configured limit', () => {
  test('returns no RateLimit header', async () => {
    const unlimited = await openTestApp();
    const { headers } = await unlimited.signedIn('viewer');
    const response = await unlimited.get('/api/v1/widgets', headers);
    expect(response.statusCode).toBe(200);
    expect(Object.keys(response.headers).filter((name) => name.startsWith('ratelimit'))).toEqual([]);
    await unlimited.close();
  });
});
