import { gunzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { expectProblem } from '../../drivers/app/expect-problem.ts';
import { openSharedApp } from '../../drivers/app/open-shared.ts';

const service = await openSharedApp();

const get = (url: string) => service.get(url);
const findReferences = (body: string) =>
  [...body.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, reference = '']) => reference);

describe('GET /console/', () => {
  test.each(['/console/', '/console/widgets', '/console/integrations/7/deliveries/8'])(
    'returns the same page at %s, which loads nothing from another origin',
    async (url) => {
      const { statusCode, headers, body } = await get(url);
      expect(statusCode).toBe(200);
      expect(headers).toMatchObject({ 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' });
      expect(String(headers['content-security-policy']).split('; ')).toEqual([
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self'",
        "font-src 'self'",
        "connect-src 'self'",
        "manifest-src 'self'",
        "base-uri 'none'",
        "form-action 'self'",
        "frame-ancestors 'none'",
        "require-trusted-types-for 'script'",
        "trusted-types 'none'",
      ]);
      expect(body).not.toMatch(/<script>|<style|\son\w+=|https?:|["'(]\/\//);
      const references = findReferences(body);
      expect(references.length).toBeGreaterThanOrEqual(3);
      for (const reference of references) {
        const { pathname } = new URL(reference, `http://example.com/base${url}`);
        expect(pathname).toMatch(/^\/base\/console\//);
        expect((await get(pathname.slice('/base'.length))).statusCode, reference).toBe(200);
      }
    },
  );

  test('names the ways to sign in', async () => {
    expect((await get('/console/')).body).toContain('<meta name="sign-in-ways" content="password">');
  });

  test('is where /console leads, relative to any path prefix', async () => {
    const { statusCode, headers } = await get('/console');
    expect(statusCode).toBe(308);
    expect(new URL(String(headers.location), 'http://example.com/base/console').pathname).toBe('/base/console/');
  });
});

describe('the files of the console', () => {
  test('include the fonts that the stylesheet names', async () => {
    const [sheet = ''] = findReferences((await get('/console/')).body).filter((name) => name.endsWith('.css'));
    const { pathname } = new URL(sheet, 'http://example.com/console/');
    const fonts = [...(await get(pathname)).body.matchAll(/url\(([^)]+\.woff2)\)/g)].map(([, font = '']) => font);
    expect(fonts.length).toBeGreaterThan(2);
    for (const font of fonts) {
      const { statusCode, headers } = await get(new URL(font, `http://example.com${pathname}`).pathname);
      expect({ font, statusCode, type: headers['content-type'] }).toEqual({
        font,
        statusCode: 200,
        type: 'font/woff2',
      });
    }
  });

  test('include the manifest of the page, and the icons that it names', async () => {
    const { headers, body } = await get('/console/manifest.webmanifest');
    expect(headers).toMatchObject({ 'content-type': 'application/manifest+json', 'cache-control': 'no-cache' });
    const { icons } = JSON.parse(body) as { icons: readonly { src: string; type: string }[] };
    expect(icons.length).toBeGreaterThan(1);
    for (const { src, type } of [...icons, { src: 'icon-urgent.svg', type: 'image/svg+xml' }]) {
      const icon = await get(`/console/${src}`);
      expect({ src, status: icon.statusCode, type: icon.headers['content-type'] }).toEqual({ src, status: 200, type });
    }
  });

  test('may be kept for a year, because another build gives them other names', async () => {
    const names = findReferences((await get('/console/')).body).filter((name) => name.includes('assets/'));
    for (const name of names) {
      const { headers } = await get(new URL(name, 'http://example.com/console/').pathname);
      expect(headers['cache-control'], name).toBe('public, max-age=31536000, immutable');
      expect(headers['content-type'], name).toMatch(name.endsWith('.css') ? /^text\/css/ : /^text\/javascript/);
    }
  });

  test('are compressed for browsers that ask for it, and with both fonts of a page in English smaller than 150 KB', async () => {
    const { body } = await get('/console/');
    let bytes = Buffer.byteLength(body);
    let sheet = '';
    for (const reference of findReferences(body)) {
      const { pathname } = new URL(reference, 'http://example.com/console/');
      const plain = await get(pathname);
      const zipped = await service.app.inject({ url: pathname, headers: { 'accept-encoding': 'gzip, deflate' } });
      expect(plain.headers['content-encoding']).toBeUndefined();
      expect(zipped.headers).toMatchObject({ 'content-encoding': 'gzip', vary: 'accept-encoding' });
      expect(gunzipSync(zipped.rawPayload).toString()).toBe(plain.body);
      if (reference.endsWith('.css')) sheet = plain.body;
      bytes += zipped.rawPayload.length;
    }
    const fonts = [...sheet.matchAll(/url\(([^)]+-latin-(?:wght|400)-normal-[\w-]+\.woff2)\)/g)];
    expect(fonts.length).toBe(2);
    for (const [, font = ''] of fonts) {
      const { headers } = await get(new URL(font, 'http://example.com/console/assets/').pathname);
      bytes += Number(headers['content-length']);
    }
    expect(bytes).toBeGreaterThan(100_000);
    expect(bytes).toBeLessThan(150_000);
  });

  test.each([
    '/console/assets/index.js',
    '/console/assets/..%2findex.html',
    '/console/assets/../../package.json',
    '/console/a/b/c/d/e/f/g/h/i/j',
  ])('%s is 404', async (url) => {
    expectProblem(await get(url), { status: 404, code: 'not-found' });
  });
});
