import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { expectProblem } from '../../drivers/expect-problem.ts';
import { openTestApp, type TestApp, type TestCaller } from '../../drivers/test-app.ts';

let service: TestApp;
let editor: TestCaller;
beforeAll(async () => {
  service = await openTestApp({ publicBaseUrl: 'https://widgets.example' });
  editor = await service.signedIn('editor');
});
afterAll(() => service.close());

const create = (headers: Record<string, string>, payload = '{"name":"x"}') =>
  service.inject({
    method: 'POST',
    url: '/api/v1/widgets',
    headers: { 'content-type': 'application/json', host: 'api.internal', ...headers },
    payload,
  });

test('without a session', async () => {
  expectProblem(await create({}), { status: 403, code: 'not-authenticated' });
});

test('before the body is looked at', async () => {
  expectProblem(await create({}, '{broken'), { status: 403, code: 'not-authenticated' });
});

test('with a Bearer token only', async () => {
  expectProblem(await create({ authorization: 'Bearer wpt_x' }), { status: 403, code: 'not-authenticated' });
});

test('with two session cookies', async () => {
  const cookie = `${editor.cookie}; a=b; ${editor.cookie}`;
  expectProblem(await create({ ...editor.headers, cookie }), { status: 403, code: 'not-authenticated' });
});

test('as a viewer', async () => {
  const viewer = await service.signedIn('viewer');
  expectProblem(await create(viewer.headers), { status: 403, code: 'permission-denied' });
});

describe('without proof that it was meant', () => {
  test('no CSRF token', async () => {
    expectProblem(await create({ cookie: editor.cookie }), { status: 403, code: 'csrf-token-invalid' });
  });

  test('the CSRF token of another session', async () => {
    const other = await service.signedIn('editor');
    const response = await create({ cookie: editor.cookie, 'x-csrf-token': other.csrfToken });
    expectProblem(response, { status: 403, code: 'csrf-token-invalid' });
  });

  test.each([
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
    { 'sec-fetch-site': 'cross-site', origin: 'https://widgets.example' },
    { origin: 'https://evil.example' },
    { origin: 'null' },
  ])('from elsewhere: %o', async (from) => {
    const response = await create({ ...editor.headers, ...from } as Record<string, string>);
    expectProblem(response, { status: 403, code: 'csrf-token-invalid' });
  });

  test.each([
    { 'sec-fetch-site': 'same-origin' },
    { 'sec-fetch-site': 'none', origin: 'https://evil.example' },
    { origin: 'https://widgets.example' },
    { origin: 'http://api.internal' },
  ])('from here: %o', async (from) => {
    const response = await create({ ...editor.headers, ...from } as Record<string, string>);
    expect(response.statusCode).toBe(201);
  });
});
