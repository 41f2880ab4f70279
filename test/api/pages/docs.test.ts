import { gunzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { expectProblem } from '../../drivers/app/expect-problem.ts';
import { openSharedApp } from '../../drivers/app/open-shared.ts';

const service = await openSharedApp();

const get = (url: string) => service.get(url);

describe('GET /docs', () => {
  test('returns a page without inline scripts that loads nothing from another origin', async () => {
    const { statusCode, headers, body } = await get('/docs');
    expect(statusCode).toBe(200);
    expect(headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
    });
    const policy = String(headers['content-security-policy']).split('; ');
    expect(policy).toEqual(
      expect.arrayContaining([
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "connect-src 'self'",
        "frame-ancestors 'none'",
        "base-uri 'none'",
      ]),
    );
    expect(body).not.toMatch(/<script>|<style|\son\w+=|https?:|["'(]\/\//);
  });

  test('uses only relative references, so that it works under a base path', async () => {
    const { body } = await get('/docs');
    const references = [...body.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, reference = '']) => reference);
    expect(references.length).toBeGreaterThan(4);
    for (const reference of references) {
      const { pathname, host } = new URL(reference, 'http://example.com/base/docs');
      expect(host).toBe('example.com');
      expect(pathname).toMatch(/^\/base\//);
      const { statusCode } = await get(pathname.slice('/base'.length));
      expect(statusCode, reference).toBe(200);
    }
  });

  test.each([
    ['/docs/docs.js', 'text/javascript; charset=utf-8'],
    ['/docs/swagger-ui-bundle.js', 'text/javascript; charset=utf-8'],
    ['/docs/swagger-ui.css', 'text/css; charset=utf-8'],
    ['/docs/pages.css', 'text/css; charset=utf-8'],
    ['/docs/icon.svg', 'image/svg+xml'],
  ])('returns %s as %s', async (url, type) => {
    const { statusCode, headers, body } = await get(url);
    expect(statusCode).toBe(200);
    expect(headers).toMatchObject({ 'content-type': type, 'cache-control': 'no-cache' });
    expect(body.length).toBeGreaterThan(100);
    const head = await service.inject({ method: 'HEAD', url });
    expect(head).toMatchObject({ statusCode: 200, body: '' });
    expect(head.headers['content-length']).toBe(headers['content-length']);
  });

  test.each([
    '/docs/docs.js',
    '/docs/swagger-ui-bundle.js',
    '/docs/swagger-ui.css',
    '/docs/pages.css',
    '/docs/icon.svg',
    '/api/v1/openapi.json',
    '/api/v1/asyncapi.json',
  ])('compresses %s, and sends it again only once it has changed', async (url) => {
    const ask = (headers: object) => service.app.inject({ url, headers: { ...headers } });
    const plain = await get(url);
    expect((await ask({ 'accept-encoding': 'deflate, gzip;q=0' })).headers['content-encoding']).toBeUndefined();
    const zipped = await ask({ 'accept-encoding': 'gzip, deflate, br' });
    expect(plain.headers['content-encoding']).toBeUndefined();
    expect(zipped.headers).toMatchObject({
      'content-encoding': 'gzip',
      'cache-control': 'no-cache',
      vary: 'accept-encoding',
    });
    expect(gunzipSync(zipped.rawPayload).toString()).toBe(plain.body);
    expect(zipped.rawPayload.length).toBeLessThan(plain.body.length * 0.8);
    const etag = String(zipped.headers.etag);
    for (const known of [etag, `"another", ${etag}`, etag.replace('W/', '')]) {
      const { statusCode, rawPayload, headers } = await ask({ 'if-none-match': known });
      expect({ known, statusCode, bytes: rawPayload.length }).toEqual({ known, statusCode: 304, bytes: 0 });
      expect(headers).toMatchObject({ etag, 'cache-control': 'no-cache', vary: 'accept-encoding' });
    }
    expect(await ask({ 'if-none-match': 'W/"another"' })).toMatchObject({ statusCode: 200, body: plain.body });
    const head = await service.app.inject({ method: 'HEAD', url, headers: { 'if-none-match': etag } });
    expect(head.statusCode).toBe(304);
  });

  test.each([
    ['/', 302, '/console/'],
    ['/docs/', 308, '/docs'],
    ['/favicon.ico', 302, '/docs/icon.svg'],
  ])('redirects %s with %i to a relative path', async (url, status, target) => {
    const { statusCode, headers } = await get(url);
    expect(statusCode).toBe(status);
    expect(new URL(String(headers.location), `http://example.com/base${url}`).pathname).toBe(`/base${target}`);
  });

  test.each(['/docs/swagger-initializer.js', '/docs/..%2fpackage.json', '/docs/package.json', '/docs/x/y'])(
    'returns 404 for %s',
    async (url) => {
      expectProblem(await get(url), { status: 404, code: 'not-found' });
    },
  );

  test('returns 405 for POST', async () => {
    const response = await service.post('/docs', {});
    expectProblem(response, { status: 405, code: 'method-not-allowed' });
    expect(response.headers.allow).toBe('GET, HEAD');
  });
});

test('GET /api/v1/openapi.json does not describe the pages', async () => {
  const { paths } = (await get('/api/v1/openapi.json')).json() as { paths: object };
  expect(Object.keys(paths).filter((path) => !path.startsWith('/api/v1/'))).toEqual([]);
});
