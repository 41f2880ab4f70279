import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { expectProblem } from '../../drivers/app/expect-problem.ts';
import { openTestApp, type TestApp } from '../../drivers/app/test-app.ts';

let service: TestApp;
beforeAll(async () => {
  service = await openTestApp();
});
afterAll(() => service.close());

describe('unknown paths', () => {
  test.each([
    ['GET', '/index.html'],
    ['GET', '/api/v1/nothing'],
    ['GET', '/API/V1/WIDGETS'],
    ['POST', '/api/v2/widgets'],
    ['OPTIONS', '/nowhere'],
    ['GET', '/api/v1/widgets/a/b'],
  ] as const)('return 404 not-found: %s %s', async (method, url) => {
    expectProblem(await service.inject({ method, url }), { status: 404, code: 'not-found' });
  });

  test('return 404 not-found whatever the body', async () => {
    const response = await service.inject({
      method: 'POST',
      url: '/nowhere',
      headers: { 'content-type': 'application/json' },
      payload: '{broken',
    });
    expectProblem(response, { status: 404, code: 'not-found' });
  });

  test('are neither returned nor logged', async () => {
    const response = await service.inject({ method: 'GET', url: '/api/v1/event/wst_secretsecret?x=wst_secretsecret' });
    expect(response.body).not.toContain('secretsecret');
    expect(service.logLines.join('')).not.toContain('secretsecret');
  });
});

describe('known paths with another method', () => {
  test.each([
    ['DELETE', '/api/v1/widgets', 'GET, HEAD, POST'],
    ['OPTIONS', '/api/v1/widgets?x=1', 'GET, HEAD, POST'],
    ['POST', '/api/v1/widgets/abc', 'GET, HEAD'],
    ['PUT', '/api/v1/session', 'DELETE, GET, HEAD, POST'],
    ['GET', '/api/v1/events/hooks/abc', 'POST'],
  ] as const)('return 405 with Allow: %s %s', async (method, url, allow) => {
    const response = await service.inject({ method, url });
    expectProblem(response, { status: 405, code: 'method-not-allowed' });
    expect(response.headers.allow).toBe(allow);
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
