import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { expectProblem } from '../../drivers/app/expect-problem.ts';
import { openTestApp, type TestApp, type TestCaller } from '../../drivers/app/test-app.ts';

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

describe('POST /api/v1/widgets: session and permission', () => {
  test('returns 403 not-authenticated without a session', async () => {
    expectProblem(await create({}), { status: 403, code: 'not-authenticated' });
  });

  test('returns 403 not-authenticated before it reads the body', async () => {
    expectProblem(await create({}, '{broken'), { status: 403, code: 'not-authenticated' });
  });

  test('returns 403 not-authenticated for an invalid Bearer token', async () => {
    expectProblem(await create({ authorization: 'Bearer wpt_x' }), { status: 403, code: 'not-authenticated' });
  });

  test('returns 403 not-authenticated for two session cookies', async () => {
    const cookie = `${editor.cookie}; a=b; ${editor.cookie}`;
    expectProblem(await create({ ...editor.headers, cookie }), { status: 403, code: 'not-authenticated' });
  });

  test('returns 403 permission-denied for a viewer', async () => {
    const viewer = await service.signedIn('viewer');
    expectProblem(await create(viewer.headers), { status: 403, code: 'permission-denied' });
  });
});

describe('POST /api/v1/widgets: CSRF protection', () => {
  test('returns 403 csrf-token-invalid without a CSRF token', async () => {
    expectProblem(await create({ cookie: editor.cookie }), { status: 403, code: 'csrf-token-invalid' });
  });

  test('returns 403 csrf-token-invalid for the CSRF token of another session', async () => {
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
  ])('returns 403 csrf-token-invalid for a request from another origin: %o', async (originHeaders) => {
    const response = await create({ ...editor.headers, ...originHeaders } as Record<string, string>);
    expectProblem(response, { status: 403, code: 'csrf-token-invalid' });
  });

  test.each([
    { 'sec-fetch-site': 'same-origin' },
    { 'sec-fetch-site': 'none', origin: 'https://evil.example' },
    { origin: 'https://widgets.example' },
    { origin: 'http://api.internal' },
  ])('returns 201 for a request from the own origin: %o', async (originHeaders) => {
    const response = await create({ ...editor.headers, ...originHeaders } as Record<string, string>);
    expect(response.statusCode).toBe(201);
  });
});
