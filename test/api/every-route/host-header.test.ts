import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { expectProblem } from '../../drivers/app/expect-problem.ts';
import { openTestApp, type TestApp, type TestCaller } from '../../drivers/app/test-app.ts';

let service: TestApp;
let admin: TestCaller;
beforeAll(async () => {
  service = await openTestApp();
  admin = await service.signedIn('admin');
});
afterAll(() => service.close());

const subscribe = (host: string, headers = {}) =>
  service.inject({
    method: 'POST',
    url: '/api/v1/subscriptions',
    headers: { ...admin.headers, ...headers, host },
    payload: { name: 'screen' },
  });

test.each([
  ['widgets.lan:80', 'http://widgets.lan'],
  ['WIDGETS.lan', 'http://widgets.lan'],
  ['widgets.lan.', 'http://widgets.lan'],
  ['[2001:DB8:0::7]:80', 'http://[2001:db8::7]'],
])('a page of %s comes from the own origin %s', async (host, origin) => {
  expect((await subscribe(host, { origin })).statusCode).toBe(201);
  expectProblem(await subscribe(host, { origin: `${origin}:8080` }), { status: 403, code: 'csrf-token-invalid' });
});

describe('URLs built from the Host header', () => {
  test.each([
    'a:b:c',
    ':80',
    'a:99999',
    'a:8x',
    '[',
    '[::1',
    '[::g]',
    '%zz',
    'a%20b',
    '1.2.3.999',
    'a/b',
    'a@b',
    'a b',
  ])('returns 400 malformed-request for the Host %s, which cannot begin a URL', async (host) => {
    expectProblem(await subscribe(host), { status: 400, code: 'malformed-request' });
  });

  test.each(['localhost', 'widgets.example.com:8443', '127.0.0.1:3000', '[::1]:3000', 'my_host', 'a:'])(
    'returns a valid url that begins with the Host %s',
    async (host) => {
      const response = await subscribe(host);
      expect(response.statusCode).toBe(201);
      const { url } = response.json() as { url: string };
      expect(url.startsWith(`http://${host}/api/v1/events/`)).toBe(true);
      expect(URL.canParse(url)).toBe(true);
    },
  );
});
