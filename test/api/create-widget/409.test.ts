import { afterAll, beforeAll, expect, test } from 'vitest';
import { expectProblem } from '../../drivers/expect-problem.ts';
import { openTestApp, type TestApp, type TestCaller } from '../../drivers/test-app.ts';

let service: TestApp;
let editor: TestCaller;
beforeAll(async () => {
  service = await openTestApp();
  editor = await service.signedIn('editor');
});
afterAll(() => service.close());

const create = (payload: object, key: string) =>
  service.inject({
    method: 'POST',
    url: '/api/v1/widgets',
    headers: { ...editor.headers, 'idempotency-key': key },
    payload,
  });

test('a key used before with another body', async () => {
  expect((await create({ name: 'first' }, 'k')).statusCode).toBe(201);
  expectProblem(await create({ name: 'second' }, 'k'), { status: 409, code: 'idempotency-key-reused' });
});

test('a refused request does not use its key up', async () => {
  expect((await create({ name: '' }, 'unused')).statusCode).toBe(400);
  expect((await create({ name: 'now right' }, 'unused')).statusCode).toBe(201);
});

test('equal names are no conflict', async () => {
  expect((await create({ name: 'twin' }, 'a')).statusCode).toBe(201);
  expect((await create({ name: 'twin' }, 'b')).statusCode).toBe(201);
});
