import { afterAll, beforeAll, expect, test } from 'vitest';
import { expectProblem } from '../../drivers/expect-problem.ts';
import { openTestApp, type TestApp, type TestCaller } from '../../drivers/test-app.ts';

let service: TestApp;
let admin: TestCaller;
beforeAll(async () => {
  service = await openTestApp();
  admin = await service.signedIn('admin');
});
afterAll(() => service.close());

const subscribe = (host: string) =>
  service.inject({
    method: 'POST',
    url: '/api/v1/subscriptions',
    headers: { ...admin.headers, host },
    payload: { name: 'screen' },
  });

test.each(['a:b:c', ':80', 'a:99999', 'a:8x', '[', '[::1', '[::g]', '%zz', 'a%20b', '1.2.3.999', 'a/b', 'a@b', 'a b'])(
  'no address can begin with the host %s, so none is handed out',
  async (host) => {
    expectProblem(await subscribe(host), { status: 400, code: 'malformed-request' });
  },
);

test.each(['localhost', 'widgets.example.com:8443', '127.0.0.1:3000', '[::1]:3000', 'my_host', 'a:'])(
  'an address that is handed out begins with the host %s, and is one',
  async (host) => {
    const response = await subscribe(host);
    expect(response.statusCode).toBe(201);
    const { url } = response.json() as { url: string };
    expect(url.startsWith(`http://${host}/api/v1/events/`)).toBe(true);
    expect(URL.canParse(url)).toBe(true);
  },
);
