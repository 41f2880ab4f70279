import { afterEach, describe, expect, test } from 'vitest';
import { expectProblem } from '../../drivers/app/expect-problem.ts';
import { openTestApp, type TestApp, type TestAppOptions } from '../../drivers/app/test-app.ts';

const url = '/.well-known/security.txt';
const contacts = ['mailto:security@example.com', 'https://example.com/report'];
let service: TestApp;
afterEach(() => service.close());

const get = async (options: TestAppOptions, method: 'GET' | 'HEAD' | 'POST' = 'GET') => {
  service = await openTestApp(options);
  return service.inject({ method, url });
};

describe('GET /.well-known/security.txt', () => {
  test('returns the contacts in their order of preference, and a time within the next year when they expire', async () => {
    const { statusCode, headers, body } = await get({ SECURITY_CONTACT: contacts });
    expect(statusCode).toBe(200);
    expect(headers['content-type']).toBe('text/plain; charset=utf-8');
    const [, expires = ''] =
      /^Contact: mailto:security@example\.com\nContact: https:\/\/example\.com\/report\nExpires: (\S+)\n$/.exec(body) ??
      [];
    const days = (Date.parse(expires) - Date.now()) / 86_400_000;
    expect(days).toBeGreaterThan(30);
    expect(days).toBeLessThan(365);
  });

  test('names its own address if PUBLIC_BASE_URL is an https: origin', async () => {
    const { body } = await get({ SECURITY_CONTACT: contacts, PUBLIC_BASE_URL: 'https://widgets.example' });
    expect(body).toMatch(/^Canonical: https:\/\/widgets\.example\/\.well-known\/security\.txt$/m);
  });

  test.each(['http://widgets.example', 'https://widgets.example/base'])(
    'names no address of its own if PUBLIC_BASE_URL is %s',
    async (publicBaseUrl) => {
      expect((await get({ SECURITY_CONTACT: contacts, PUBLIC_BASE_URL: publicBaseUrl })).body).not.toContain(
        'Canonical',
      );
    },
  );

  test('exists also while the documentation is switched off, and answers HEAD', async () => {
    const { statusCode, body } = await get({ SECURITY_CONTACT: contacts, PAGES: new Set(['console']) }, 'HEAD');
    expect([statusCode, body]).toEqual([200, '']);
  });

  test('returns 404 not-found if no contact is set', async () => {
    expectProblem(await get({}), { status: 404, code: 'not-found' });
  });

  test('returns 405 for another method', async () => {
    const response = await get({ SECURITY_CONTACT: contacts }, 'POST');
    expectProblem(response, { status: 405, code: 'method-not-allowed' });
    expect(response.headers.allow).toBe('GET, HEAD');
  });
});
