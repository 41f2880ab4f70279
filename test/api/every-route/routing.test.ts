import { describe, expect, onTestFinished, test } from 'vitest';
import { expectProblem } from '../../drivers/app/expect-problem.ts';
import { openSharedApp } from '../../drivers/app/open-shared.ts';
import { openTestApp } from '../../drivers/app/test-app.ts';

const service = await openSharedApp({ PUBLIC_BASE_URL: 'https://widgets.example' });
const admin = await service.signedIn('admin');

describe('unknown paths', () => {
  test('are neither returned nor logged', async () => {
    const response = await service.get('/api/v1/event/wst_secretsecret?x=wst_secretsecret');
    expect(response.body).not.toContain('secretsecret');
    expect(service.logLines.join('')).not.toContain('secretsecret');
  });
});

describe('every request', () => {
  test('returns 400 malformed-request for a path that cannot be decoded', async () => {
    const response = await service.get('/api/v1/widgets/%zz');
    expectProblem(response, { status: 400, code: 'malformed-request' });
    expect(JSON.parse(service.logLines.at(-1) ?? '{}')).toMatchObject({
      route: 'unmatched',
      code: 'malformed-request',
    });
  });

  test('returns a new X-Request-Id, and only logs the one of the client', async () => {
    const response = await service.get('/nowhere', { 'x-request-id': 'theirs' });
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
    const { headers } = await service.get('/');
    expect(headers).toMatchObject({
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      'x-robots-tag': 'noindex',
    });
  });
});

test('HEAD returns the status and headers of GET, without a body, on every route that has a GET without effects', async () => {
  // A GET of these two starts or finishes a sign-in.
  const paths = service.routes
    .filter(({ method, url }) => method === 'GET' && !url.startsWith('/api/v1/session/oidc'))
    .map(({ url }) => url);
  expect(paths.length).toBeGreaterThan(10);
  for (const path of paths) {
    for (const headers of [{}, { cookie: admin.cookie }]) {
      const url = path.replaceAll(/:\w+/g, '0197a0b0-0000-7000-8000-00000000abcd').replace('*', 'x');
      const [get, head] = [await service.get(url, headers), await service.inject({ method: 'HEAD', url, headers })];
      expect(head.body, path).toBe('');
      expect(head.statusCode, path).toBe(get.statusCode);
      const { 'content-type': type, 'content-length': length } = get.headers;
      expect(head.headers['content-type'], path).toBe(type);
      // The length of a successful response depends on stored data, which may have changed between the requests.
      if (get.statusCode >= 400) expect(head.headers['content-length'], path).toBe(length);
    }
  }
});

test('an unexpected error is a 500 that tells its request id, and nothing of the error', async () => {
  const fault = new Error('connect to 10.9.8.7 as root');
  const service = await openTestApp({ replace: () => ({ widgets: { list: () => Promise.reject(fault) } as never }) });
  onTestFinished(() => service.close());
  const { headers } = await service.signedIn('viewer');
  const response = await service.get('/api/v1/widgets', headers);
  expect(response.statusCode).toBe(500);
  expect(response.json()).toMatchObject({ code: 'internal' });
  for (const part of ['10.9.8.7', 'root', 'routing.test.ts', 'Error:']) expect(response.body).not.toContain(part);
  const line = service.logLines.find((text) => text.includes('10.9.8.7'));
  expect(line).toContain(String(response.headers['x-request-id']));
});
