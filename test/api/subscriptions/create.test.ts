import { digestOf, isWellFormedToken } from '@widget-service/shared/domain/token.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { expectProblem } from '../../support/expect-problem.ts';
import { openTestApp, type TestApp, type TestCaller } from '../../support/test-app.ts';

let service: TestApp;
let admin: TestCaller;
beforeAll(async () => {
  service = await openTestApp();
  admin = await service.signedIn('admin');
});
afterAll(() => service.close());

const create = (payload: object, headers: Readonly<Record<string, string>> = admin.headers) =>
  service.inject({
    method: 'POST',
    url: '/api/v1/subscriptions',
    headers: { host: 'widgets.example:8080', ...headers },
    payload,
  });

test('201: the token works, is shown this once and stored nowhere', async () => {
  const response = await create({ name: ' screen ' });
  expect(response.statusCode).toBe(201);
  const { id, token, ...rest } = response.json();
  expect(rest).toEqual({
    name: 'screen',
    createdAt: expect.any(String),
    url: `http://widgets.example:8080/api/v1/events/${token}`,
  });
  expect(isWellFormedToken(token, 'wst')).toBe(true);
  const stored = await service.backend.subscriptions.findByTokenDigest(digestOf(token));
  expect(stored).toMatchObject({ id, name: 'screen' });
  expect(JSON.stringify(stored)).not.toContain(token);
  expect(service.logLines.join('')).not.toContain(token);
});

test('400', async () => {
  const errors = [
    { pointer: '#/name', code: 'required' },
    { pointer: '#/secret', code: 'unknown-field' },
  ];
  expectProblem(await create({ secret: 1 }), { status: 400, code: 'invalid-request', errors });
});

test('403', async () => {
  const editor = await service.signedIn('editor');
  expectProblem(await create({ name: 'x' }, editor.headers), { status: 403, code: 'permission-denied' });
  expectProblem(await create({ name: 'x' }, {}), { status: 403, code: 'not-authenticated' });
});
