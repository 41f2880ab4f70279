import { digestOf, isWellFormedToken } from '@widget-service/shared/domain/token.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { expectProblem } from '../../support/expect-problem.ts';
import { openTestApp, type TestApp, type TestCaller } from '../../support/test-app.ts';

let service: TestApp;
let admin: TestCaller;
beforeAll(async () => {
  service = await openTestApp({ publicBaseUrl: 'https://widgets.example/base' });
  admin = await service.signedIn('admin');
});
afterAll(() => service.close());

const create = (payload: object, headers: Readonly<Record<string, string>> = admin.headers) =>
  service.inject({ method: 'POST', url: '/api/v1/integrations', headers, payload });

test.each([
  [{ name: 'shop' }, true],
  [{ name: 'shop', deduplicateByContent: null }, true],
  [{ name: 'shop', deduplicateByContent: false }, false],
])('201: %o', async (body, deduplicateByContent) => {
  const response = await create(body);
  expect(response.statusCode).toBe(201);
  const { id, token, ...rest } = response.json();
  expect(rest).toEqual({
    name: 'shop',
    deduplicateByContent,
    createdAt: expect.any(String),
    url: `https://widgets.example/base/api/v1/events/hooks/${token}`,
  });
  expect(isWellFormedToken(token, 'wht')).toBe(true);
  const stored = await service.backend.integrations.findByTokenDigest(digestOf(token));
  expect(stored).toMatchObject({ id, deduplicateByContent });
});

test('400', async () => {
  const errors = [{ pointer: '#/deduplicateByContent', code: 'type' }];
  const response = await create({ name: 'shop', deduplicateByContent: 'no' });
  expectProblem(response, { status: 400, code: 'invalid-request', errors });
});

test('403', async () => {
  const editor = await service.signedIn('editor');
  expectProblem(await create({ name: 'x' }, editor.headers), { status: 403, code: 'permission-denied' });
});
