import { describe, expect, test } from 'vitest';
import { expectProblem } from '../../drivers/app/expect-problem.ts';
import { openSharedApp } from '../../drivers/app/open-shared.ts';

const service = await openSharedApp();

describe('unknown paths', () => {
  test('are neither returned nor logged', async () => {
    const response = await service.inject({ method: 'GET', url: '/api/v1/event/wst_secretsecret?x=wst_secretsecret' });
    expect(response.body).not.toContain('secretsecret');
    expect(service.logLines.join('')).not.toContain('secretsecret');
  });
});

describe('every request', () => {
  test('returns 400 malformed-request for a path that cannot be decoded', async () => {
    const response = await service.inject({ method: 'GET', url: '/api/v1/widgets/%zz' });
    expectProblem(response, { status: 400, code: 'malformed-request' });
    expect(JSON.parse(service.logLines.at(-1) ?? '{}')).toMatchObject({
      route: 'unmatched',
      code: 'malformed-request',
    });
  });

  test('returns a new X-Request-Id, and only logs the one of the client', async () => {
    const response = await service.inject({ method: 'GET', url: '/nowhere', headers: { 'x-request-id': 'theirs' } });
    expect(response.headers['x-request-id']).not.toBe('theirs');
    const line = JSON.parse(service.logLines.at(-1) ?? '{}');
    expect(line).toMatchObject({
      msg: 'request',
      foreignRequestId: 'theirs',
      requestId: response.headers['x-request-id'],
    });
    expect(line).toMatchObject({ route: 'unmatched', status: 404, code: 'not-found' });
  });

  test('returns the security headers', async () => {
    const { headers } = await service.inject({ method: 'GET', url: '/' });
    expect(headers).toMatchObject({
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      'x-robots-tag': 'noindex',
    });
  });
});
